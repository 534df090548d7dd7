package io.controllermanager.spring.application;

import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.generate.GeneratedFiles.Kind;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotContribution;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionEvaluationReport;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;

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
        boolean asksForJava = asksForJava(beanFactory);
        // Also of the context of a management port, which is processed within this one: the last of them has all.
        return (generation, code) -> generation
                .getGeneratedFiles()
                .handleFile(
                        Kind.RESOURCE,
                        recording.resource(),
                        file -> file.override(
                                new ByteArrayResource(conditions(recording.names(), asksForJava, environment))));
    }

    private static byte[] conditions(Set<String> asked, boolean asksForJava, ConfigurableEnvironment environment) {
        Set<String> names = new TreeSet<>(asked);
        names.add(PreparedContext.PROFILES);
        if (asksForJava || "true".equalsIgnoreCase(environment.getProperty("spring.threads.virtual.enabled"))) {
            names.add(PreparedContext.JAVA);
        }
        if (names.contains("spring.main.cloud-platform")) {
            names.add(PreparedContext.PLATFORM);
        }
        if (environment.getProperty("management.server.port") == null) {
            // Spring Boot only asks whether the two differ, and many set this one.
            names.remove("server.port");
        }
        return PreparedConditions.of(
                        names,
                        PreparedContext.names(environment, names),
                        name -> PreparedContext.value(environment, name))
                .text()
                .getBytes(StandardCharsets.UTF_8);
    }

    private static boolean asksForJava(ConfigurableListableBeanFactory beanFactory) {
        return ConditionEvaluationReport.get(beanFactory).getConditionAndOutcomesBySource().values().stream()
                .flatMap(outcomes -> StreamSupport.stream(outcomes.spliterator(), false))
                .anyMatch(one -> one.getCondition().getClass().getSimpleName().equals("OnJavaCondition"));
    }
}
