package io.controllermanager.apiserver.junit;

import io.controllermanager.apiserver.ApiServer;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/** What the extension asks Spring for. A class of its own, since Spring is there for tests with Spring only. */
final class SpringContexts {

    private SpringContexts() {}

    /** Whether Spring gives the parameter its value, as it does for {@code @Autowired}. */
    static boolean resolve(ParameterContext parameter, ExtensionContext context) {
        return new SpringExtension().supportsParameter(parameter, context);
    }

    /** The server of the test's application context. */
    static ApiServer server(ExtensionContext context) {
        return SpringExtension.getApplicationContext(context).getBean(ApiServer.class);
    }
}
