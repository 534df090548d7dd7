package io.controllermanager.spring.logging;

import ch.qos.logback.classic.LoggerContext;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.boot.context.logging.LoggingApplicationListener;
import org.springframework.context.ApplicationListener;
import org.springframework.core.Ordered;
import org.springframework.util.ClassUtils;

/**
 * Keeps those who log from waiting for those who read standard output, right after Spring Boot has set logging up. A
 * stalled reader would otherwise stop every worker in its next log line, while the Lease is renewed. Does nothing with
 * another logging system than Logback.
 */
final class NonBlockingConsole implements ApplicationListener<ApplicationEnvironmentPreparedEvent>, Ordered {

    private static final boolean LOGBACK =
            ClassUtils.isPresent("ch.qos.logback.classic.LoggerContext", NonBlockingConsole.class.getClassLoader());

    @Override
    public void onApplicationEvent(ApplicationEnvironmentPreparedEvent event) {
        boolean off = "false".equalsIgnoreCase(event.getEnvironment().getProperty("controller-manager.enabled"));
        if (!off && LOGBACK) {
            Logback.prepare();
        }
    }

    /** After whoever adds filters to the console's appender: they act when a line is written. */
    @Override
    public int getOrder() {
        return LoggingApplicationListener.DEFAULT_ORDER + 2;
    }

    /** Loaded only where Logback is there. */
    private static final class Logback {

        static void prepare() {
            if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
                new LogbackConsole(context).prepare();
            }
        }
    }
}
