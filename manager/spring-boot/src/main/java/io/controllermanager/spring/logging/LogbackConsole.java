package io.controllermanager.spring.logging;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.ConsoleAppender;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What Logback writes to standard output and standard error. */
record LogbackConsole(LoggerContext context) {

    /** Part of the time that a stop takes where nobody reads: it comes after all beans are destroyed. */
    private static final Duration FLUSH_LIMIT = Duration.ofSeconds(2);

    /**
     * Puts a {@link NonBlockingAppender} before each console appender, also of a configuration file of the application's:
     * whoever configured it, it would block. One behind an asynchronous appender of the application's stays as it is.
     */
    void prepare() {
        Map<Appender<ILoggingEvent>, Appender<ILoggingEvent>> replacements = new HashMap<>();
        for (Logger logger : context.getLoggerList()) {
            for (Appender<ILoggingEvent> appender : appenders(logger)) {
                if (appender instanceof ConsoleAppender) {
                    logger.detachAppender(appender);
                    logger.addAppender(replacements.computeIfAbsent(appender, LogbackConsole::startBefore));
                }
            }
        }
    }

    /** How many lines have been dropped since logging was set up. */
    long dropped() {
        return context.getLoggerList().stream()
                .flatMap(logger -> appenders(logger).stream())
                .distinct()
                .mapToLong(appender -> appender instanceof NonBlockingAppender waiting ? waiting.dropped() : 0)
                .sum();
    }

    private static Appender<ILoggingEvent> startBefore(Appender<ILoggingEvent> console) {
        NonBlockingAppender appender = new NonBlockingAppender(console, FLUSH_LIMIT);
        appender.start();
        return appender;
    }

    private static List<Appender<ILoggingEvent>> appenders(Logger logger) {
        List<Appender<ILoggingEvent>> appenders = new ArrayList<>();
        logger.iteratorForAppenders().forEachRemaining(appenders::add);
        return appenders;
    }
}
