package io.controllermanager.test;

import java.util.ArrayList;
import java.util.List;
import org.slf4j.LoggerFactory;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggerConfiguration;
import org.springframework.boot.logging.LoggingSystem;

/**
 * Keeps hosts that fail on purpose from logging it. They log as ever where {@code
 * io.controllermanager.test} is at DEBUG. The levels are set by Spring Boot, which knows every logging system; without it on
 * the class path nothing is kept quiet.
 */
final class QuietHosts {

    private static final List<String> HOSTS = List.of(
            "io.controllermanager.client",
            "io.controllermanager.controller",
            "io.controllermanager.informer",
            "io.controllermanager.manager",
            "io.controllermanager.recorder");

    private static final List<Runnable> RESTORE = new ArrayList<>();

    /** How often it was begun and not ended, since classes of tests may run side by side. */
    private static int begun;

    private QuietHosts() {}

    static void begin() {
        synchronized (RESTORE) {
            if (begun++ == 0 && !LoggerFactory.getLogger(QuietHosts.class).isDebugEnabled() && isSpringBootThere()) {
                HOSTS.forEach(Levels::off);
            }
        }
    }

    private static boolean isSpringBootThere() {
        try {
            Class.forName("org.springframework.boot.logging.LoggingSystem");
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    /** They log as before when this was called as often as {@link #begin}. */
    static void end() {
        synchronized (RESTORE) {
            if (--begun == 0) {
                RESTORE.forEach(Runnable::run);
                RESTORE.clear();
            }
        }
    }

    /** What needs Spring Boot. */
    private static final class Levels {

        private static final LoggingSystem SYSTEM = LoggingSystem.get(QuietHosts.class.getClassLoader());

        static void off(String logger) {
            LoggerConfiguration now = SYSTEM.getLoggerConfiguration(logger);
            LogLevel configured = now == null ? null : now.getConfiguredLevel();
            RESTORE.add(() -> SYSTEM.setLogLevel(logger, configured));
            SYSTEM.setLogLevel(logger, LogLevel.OFF);
        }
    }
}
