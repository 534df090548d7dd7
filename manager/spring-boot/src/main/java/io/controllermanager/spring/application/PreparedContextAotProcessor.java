package io.controllermanager.spring.application;

import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotContribution;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.PropertySource;

/** Writes what the conditions of the prepared context have asked for, beside the context. Runs in the build alone. */
final class PreparedContextAotProcessor implements BeanFactoryInitializationAotProcessor {

    @Override
    public @Nullable BeanFactoryInitializationAotContribution processAheadOfTime(
            ConfigurableListableBeanFactory beanFactory) {
        ConfigurableEnvironment environment = beanFactory.getBean(
                ConfigurableApplicationContext.ENVIRONMENT_BEAN_NAME, ConfigurableEnvironment.class);
        PropertySource<?> source = environment.getPropertySources().get(RecordingPropertySource.NAME);
        if (!(source instanceof RecordingPropertySource recording)) {
            // A test's context, or one that is not started by SpringApplication.
            return null;
        }
        Set<String> names = new TreeSet<>(recording.names());
        names.add(PreparedContext.PROFILES);
        if (environment.getProperty("management.server.port") == null) {
            // Conditions only ask whether the two differ, and many set this one.
            names.remove("server.port");
        }
        PreparedConditions conditions = PreparedConditions.of(names, name -> PreparedContext.value(environment, name));
        return (generation, code) ->
                generation.getGeneratedFiles().addResourceFile(recording.resource(), conditions.text());
    }
}
