package io.controllermanager.leaderelection;

import io.kubernetes.client.openapi.models.V1Lease;
import org.jspecify.annotations.Nullable;

/** Told how a Lease is, as soon as it has changed. Called one at a time, on the thread of whoever watches the Lease. */
public interface LeaseObserver {

    /** The Lease is as given; may be told again what is known already. Must return promptly. */
    void seen(V1Lease lease);

    /** The Lease is gone; given as it was last. Must return promptly. */
    void deleted(V1Lease lease);

    /**
     * Changes can no longer be seen, or can be seen again.
     *
     * @param why not; null if they can
     */
    void interrupted(@Nullable String why);
}
