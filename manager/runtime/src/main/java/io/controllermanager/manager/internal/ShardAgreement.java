package io.controllermanager.manager.internal;

import io.controllermanager.leaderelection.internal.ShardElectors;
import org.jspecify.annotations.Nullable;

/** Whether all processes divide a controller in the same way; see {@link ShardElectors}, whose methods have the same names. */
interface ShardAgreement {

    /** How the number of shards here is not that of the others, a sentence; null if it is. */
    @Nullable
    String disagreement();

    /** Whether the number of shards here is that of the others. */
    default boolean agrees() {
        return disagreement() == null;
    }

    /** Has a listener told, on any thread, when that may have changed. */
    void onAgreement(Runnable listener);

    /**
     * Why a shard's Lease gives no right to work although this process holds it, null if it does. Blocks.
     */
    @Nullable
    String obstacle();

    static ShardAgreement of(ShardElectors electors) {
        return new ShardAgreement() {
            @Override
            public @Nullable String disagreement() {
                return electors.disagreement();
            }

            @Override
            public void onAgreement(Runnable listener) {
                electors.onAgreement(listener);
            }

            @Override
            public @Nullable String obstacle() {
                return electors.obstacle();
            }
        };
    }
}
