package io.controllermanager.leaderelection;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What the other Leases that a process competes for mean for one of them. Called under an election's monitor: returns at
 * once and takes no lock.
 */
interface Companions {

    /** There are none: a Lease is taken as soon as it can be had, and wishes are nobody's business. */
    Companions NONE = new Companions() {
        @Override
        public Duration courtesy(@Nullable String preferredHolder, Duration reserved) {
            return Duration.ZERO;
        }

        @Override
        public boolean considers(String lease, String asker, Duration age, BooleanSupplier handOver) {
            return true;
        }

        @Override
        public void ended(String lease) {}
    };

    /**
     * For how long a Lease that can be had is left to others who should rather have it.
     *
     * @param preferredHolder for whom its last holder has given it up, null for nobody in particular
     * @param reserved how long it is kept for that one
     */
    Duration courtesy(@Nullable String preferredHolder, Duration reserved);

    /**
     * What becomes of another's wish for a Lease that this process holds. Unlike the others, not called under a monitor.
     *
     * @param age how long this process has known of it
     * @param handOver begins to hand the Lease over, and says whether it does; called if the wish is granted now
     * @return whether the wish stands: it is granted, or will be looked at again
     */
    boolean considers(String lease, String asker, Duration age, BooleanSupplier handOver);

    /** This process no longer leads by a Lease, or gives it away no longer. */
    void ended(String lease);
}
