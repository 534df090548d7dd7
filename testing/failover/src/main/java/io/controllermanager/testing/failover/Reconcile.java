package io.controllermanager.testing.failover;

import java.time.Instant;

/**
 * A reconcile of a replica.
 *
 * @param namespace that of its key
 * @param gate when the gate was asked that let it through
 * @param begin when it began
 * @param end when it ended, alone or with its process; until when it was seen to run if it still does
 */
record Reconcile(String namespace, Instant gate, Instant begin, Instant end) {

    /** The same with another end. */
    Reconcile until(Instant other) {
        return new Reconcile(namespace, gate, begin, other);
    }
}
