package io.controllermanager.spring.application;

import io.controllermanager.spring.config.ConfigurationError;
import io.controllermanager.spring.config.ConfigurationException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.context.event.ApplicationFailedEvent;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;

/**
 * Reports a failed start on standard error, in one line for each error, as Spring Boot's analyzers describe it, else by its
 * innermost cause; the stack is logged at DEBUG. Says nothing of a start that fails because the process is stopping.
 */
final class StartFailureReport implements ApplicationListener<ApplicationFailedEvent> {

    private static final Logger log = LoggerFactory.getLogger(StartFailureReport.class);

    @Override
    @SuppressWarnings("SystemOut")
    public void onApplicationEvent(ApplicationFailedEvent event) {
        if (!ExitCode.isStopping()) {
            log.debug("The start failed", event.getException());
            lines(event.getException(), event.getApplicationContext()).forEach(System.err::println);
        }
    }

    /**
     * What to print.
     *
     * @param context null if the start came not so far
     */
    static List<String> lines(Throwable failure, @Nullable ConfigurableApplicationContext context) {
        FailureAnalysis analysis = analysis(failure, context);
        if (analysis != null && analysis.getCause() instanceof ConfigurationException configuration) {
            return configuration.errors().stream().map(ConfigurationError::line).toList();
        }
        String text = analysis == null
                ? rootMessage(failure)
                : Objects.requireNonNullElseGet(analysis.getDescription(), () -> rootMessage(failure));
        return List.of(text.strip().replaceAll("\\s*\\R\\s*", " "));
    }

    private static @Nullable FailureAnalysis analysis(
            Throwable failure, @Nullable ConfigurableApplicationContext context) {
        ArgumentResolver arguments = context == null
                ? ArgumentResolver.none()
                : ArgumentResolver.of(BeanFactory.class, context.getBeanFactory())
                        .and(Environment.class, context.getEnvironment());
        FailureHandler skip = (type, name, problem) -> log.trace("{} cannot be made", name, problem);
        return SpringFactoriesLoader.forDefaultResourceLocation(StartFailureReport.class.getClassLoader())
                .load(FailureAnalyzer.class, arguments, skip)
                .stream()
                .map(analyzer -> analyzer.analyze(failure))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    private static String rootMessage(Throwable failure) {
        Throwable root = failure;
        String subject = "";
        for (Throwable cause = root.getCause(); cause != null && cause != root; cause = root.getCause()) {
            // The system's own error does not say what it is about: "Address already in use".
            boolean says = root instanceof UncheckedIOException
                    && root.getMessage() != null
                    && !root.getMessage().equals(cause.toString());
            subject = says ? root.getMessage() + ": " : "";
            root = cause;
        }
        String name = root.getClass().getSimpleName();
        return subject + (root.getMessage() == null ? name : name + ": " + root.getMessage());
    }
}
