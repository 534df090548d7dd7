package io.controllermanager.spring.application;

import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.ExitCodeEvent;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ApplicationListener;

/**
 * Ends the process with 0 after a clean stop on a signal, where the JVM by itself gives 128 plus the signal's number, or
 * with the code that someone asked for before.
 */
final class ExitCode implements ApplicationListener<ExitCodeEvent> {

    /** A configuration or start error. */
    static final int START_FAILED = 1;

    private final AtomicInteger pending = new AtomicInteger();
    private final Runnable bySpring = this::halt;
    private final Thread untilSpring = new Thread(this::halt, "exit-code");

    /** Registers with the process, until {@link #handOver()}: there is nothing yet that would have to be stopped. */
    void install() {
        Runtime.getRuntime().addShutdownHook(untilSpring);
    }

    /**
     * Leaves it to Spring's shutdown hook, which first closes what runs. Before anything else registers with that one, so
     * as to run last, and not before Spring allows its hook, which is at the beginning of the application's run.
     *
     * @throws IllegalStateException if the process is stopping
     */
    void handOver() {
        SpringApplication.getShutdownHandlers().add(bySpring);
        Runtime.getRuntime().removeShutdownHook(untilSpring);
    }

    /** Leaves the process alone: the run was abandoned by whoever wanted the application's context alone, or runs it elsewhere. */
    void withdraw() {
        SpringApplication.getShutdownHandlers().remove(bySpring);
    }

    /** Whether the process has begun to end. */
    static boolean isStopping() {
        try {
            Runtime.getRuntime().removeShutdownHook(new Thread("never-registered"));
            return false;
        } catch (IllegalStateException e) {
            return true;
        }
    }

    @Override
    public void onApplicationEvent(ExitCodeEvent event) {
        pending.set(event.getExitCode());
    }

    /** Ends the process, whatever threads there are; a start that fails because the process is stopping is no failure. */
    void exit(int code) {
        if (!isStopping()) {
            // Unless the application has said one of its own.
            pending.compareAndSet(0, code);
        }
        System.exit(code);
    }

    private void halt() {
        // Without a flush of System.out: it flushes itself, and where nobody reads, whoever writes holds its lock.
        Runtime.getRuntime().halt(pending.get());
    }
}
