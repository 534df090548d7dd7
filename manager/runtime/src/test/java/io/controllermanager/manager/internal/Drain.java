package io.controllermanager.manager.internal;

import static org.awaitility.Awaitility.await;

import io.controllermanager.controller.internal.Controller;
import java.util.Arrays;

/** A controller's last moments: its workers take no more keys, and what they reconcile is waited for. */
final class Drain {

    private static final String POOL = Controller.class.getPackageName() + ".WorkerPool";

    private Drain() {}

    /** Waits until some controller of this JVM is there. */
    static void awaitBegun() {
        await("workers are waited for")
                .until(() -> Thread.getAllStackTraces().values().stream()
                        .flatMap(Arrays::stream)
                        .anyMatch(frame -> frame.getClassName().equals(POOL)
                                && frame.getMethodName().equals("await")));
    }
}
