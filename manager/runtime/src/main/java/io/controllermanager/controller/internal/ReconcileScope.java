package io.controllermanager.controller.internal;

import io.kubernetes.client.extended.controller.reconciler.Result;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What surrounds each call of the reconciler, such as whose writes they are. Safe for use by several threads. */
@FunctionalInterface
public interface ReconcileScope {

    /** Nothing does. */
    ReconcileScope NONE = (shard, reconcile) -> reconcile.get();

    /**
     * Calls the reconciler, on the thread of the caller.
     *
     * @param shard that of the key, 0 where the controller's keys are not divided
     * @return what the reconciler returns
     */
    @Nullable
    Result within(int shard, Supplier<@Nullable Result> reconcile);
}
