package io.controllermanager.app;

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

    /** Registers with the process; before anything else does, so that it runs last. */
    void install() {
        SpringApplication.getShutdownHandlers().add(() -> Runtime.getRuntime().halt(pending.get()));
    }

    @Override
    public void onApplicationEvent(ExitCodeEvent event) {
        pending.set(event.getExitCode());
    }

    /** Ends the process, whatever threads there are. */
    void exit(int code) {
        pending.set(code);
        System.exit(code);
    }
}
