package io.controllermanager.benchmarks.throughput;

import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.foo.Foo;
import io.kubernetes.client.extended.controller.reconciler.Result;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** What another controller of the same Foos in the same process is like. */
enum Neighbour {
    /** Does nothing, and well. */
    QUIET,

    /** Never returns, unless interrupted, which nobody does. */
    STUCK,

    /** Throws an Error each time. */
    ERRORS,

    /** Never returns, though its time limit of a second has it interrupted. */
    DEAF;

    private static final Duration LIMIT = Duration.ofSeconds(1);

    private Result reconcile() {
        return switch (this) {
            case QUIET -> new Result(false);
            case STUCK -> waitForever();
            case ERRORS -> throw new OutOfMemoryError("thrown on purpose");
            case DEAF -> {
                while (true) {
                    waitForever();
                }
            }
        };
    }

    private static Result waitForever() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            return new Result(false);
        }
        throw new AssertionError("nobody counts it down");
    }

    ControllerDescriptor descriptor(int workers) {
        return ControllerDescriptor.named("neighbour")
                .forType(Foo.TYPE)
                .options(ControllerOptions.DEFAULTS
                        .withWorkers(workers)
                        .withReconcileTimeout(this == DEAF ? LIMIT : null)
                        .withNeedsLeaderElection(false))
                .reconciler(request -> reconcile())
                .build();
    }
}
