package io.controllermanager.manager.internal;

import static org.awaitility.Awaitility.await;

import io.controllermanager.controller.internal.Shard;
import java.util.Arrays;

/** A controller's last moments: its shards are closed, and what runs of them is waited for. */
final class Drain {

    private static final String SHARD = Shard.class.getName();

    private Drain() {}

    /** Waits until some controller of this JVM is there. */
    static void awaitBegun() {
        await("workers are waited for")
                .until(() -> Thread.getAllStackTraces().values().stream()
                        .flatMap(Arrays::stream)
                        .anyMatch(frame -> frame.getClassName().equals(SHARD)
                                && frame.getMethodName().equals("awaitEnd")));
    }
}
