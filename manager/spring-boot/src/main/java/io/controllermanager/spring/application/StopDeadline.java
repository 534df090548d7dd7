package io.controllermanager.spring.application;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ends the process when its stop hangs, whatever it is that hangs: a log file that cannot be written, a bean that is not
 * destroyed. As a kubelet does, to which the chart gives the same time.
 */
final class StopDeadline {

    /** The stop did not end. */
    private static final int EXIT_CODE = 1;

    /** What comes after the reconciles: the release of the Lease, the web server, Events, the last log lines. */
    private static final Duration MARGIN = Duration.ofSeconds(15);

    private final Thread begin = new Thread(this::begin, "stop-deadline-begin");

    private volatile Duration shutdownTimeout = Duration.ofSeconds(30);

    /** Registers with the process: the time begins when that is told to stop, or now if it has been. */
    void install() {
        try {
            Runtime.getRuntime().addShutdownHook(begin);
        } catch (IllegalStateException stopping) {
            begin();
        }
    }

    /** Leaves the process alone. Not while it stops. */
    void withdraw() {
        Runtime.getRuntime().removeShutdownHook(begin);
    }

    /** How long running reconciles may take to end. */
    void shutdownTimeout(Duration newShutdownTimeout) {
        this.shutdownTimeout = newShutdownTimeout;
    }

    /** Returns at once, since the JVM waits for whoever is registered. */
    private void begin() {
        Thread deadline = new Thread(this::end, "stop-deadline");
        deadline.setDaemon(true);
        deadline.start();
    }

    private void end() {
        try {
            boolean ignored =
                    new CountDownLatch(1).await(shutdownTimeout.plus(MARGIN).toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            // Nobody does that; whoever does is in a hurry.
        }
        Runtime.getRuntime().halt(EXIT_CODE);
    }
}
