package io.controllermanager.spring.logging;

import ch.qos.logback.classic.LoggerContext;
import io.controllermanager.spring.config.ControllerManagerProperties;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.boot.context.logging.LoggingApplicationListener;
import org.springframework.context.ApplicationListener;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Keeps those who log from waiting for those who read standard output, and, where logs are JSON, has no line lost because of
 * its fields' names: right after Spring Boot has set logging up. A stalled reader would otherwise stop every worker in its
 * next log line, while the Lease is renewed. Does nothing with another logging system than Logback.
 */
final class NonBlockingConsole implements ApplicationListener<ApplicationEnvironmentPreparedEvent>, Ordered {

    private static final boolean LOGBACK =
            ClassUtils.isPresent("ch.qos.logback.classic.LoggerContext", NonBlockingConsole.class.getClassLoader());

    @Override
    public void onApplicationEvent(ApplicationEnvironmentPreparedEvent event) {
        Environment environment = event.getEnvironment();
        if (LOGBACK && ControllerManagerProperties.isEnabled(environment)) {
            boolean structured = StringUtils.hasText(environment.getProperty("logging.structured.format.console"))
                    || StringUtils.hasText(environment.getProperty("logging.structured.format.file"));
            Logback.prepare(structured);
        }
    }

    /** After Spring Boot has set logging up. */
    @Override
    public int getOrder() {
        return LoggingApplicationListener.DEFAULT_ORDER + 1;
    }

    /** Loaded only where Logback is there. */
    private static final class Logback {

        static void prepare(boolean structured) {
            if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
                if (structured) {
                    // They act when a line is written, behind the appender that does not block.
                    DistinctLogFields distinct = new DistinctLogFields();
                    distinct.setContext(context);
                    distinct.start();
                    context.getLogger(Logger.ROOT_LOGGER_NAME)
                            .iteratorForAppenders()
                            .forEachRemaining(appender -> appender.addFilter(distinct));
                }
                new LogbackConsole(context).prepare();
            }
        }
    }
}
