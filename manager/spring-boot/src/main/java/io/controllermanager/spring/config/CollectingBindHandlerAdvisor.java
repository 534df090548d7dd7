package io.controllermanager.spring.config;

import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.BindHandler;

/** Has Spring Boot's own binding of {@link ControllerManagerProperties} note mistakes rather than end at the first. */
public final class CollectingBindHandlerAdvisor implements ConfigurationPropertiesBindHandlerAdvisor {

    private final ConfigurationErrors errors;

    /** With where to note mistakes. */
    public CollectingBindHandlerAdvisor(ConfigurationErrors errors) {
        this.errors = errors;
    }

    @Override
    public BindHandler apply(BindHandler bindHandler) {
        return new CollectingBindHandler(bindHandler, errors);
    }
}
