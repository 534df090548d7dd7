package io.controllermanager.workqueue.internal;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Where a key is in a queue at one moment; it can be in several places.
 *
 * @param processing for how long a worker has had it, null if none has
 * @param ready for how long it has been ready, null if it is not
 * @param priority at which it is ready
 * @param readyKeys how many keys are ready
 * @param delayed how long it waits yet, null if it does not
 * @param delay why
 */
public record Place(
        @Nullable Duration processing,
        @Nullable Duration ready,
        int priority,
        int readyKeys,
        @Nullable Duration delayed,
        Causes.@Nullable Delay delay) {}
