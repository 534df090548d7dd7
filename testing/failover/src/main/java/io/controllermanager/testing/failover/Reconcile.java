package io.controllermanager.testing.failover;

import java.time.Instant;

/**
 * A reconcile of a replica.
 *
 * @param gate when the gate was asked that let it through
 * @param begin when it began
 * @param end when it ended, alone or with its process; until when it was seen to run if it still does
 */
record Reconcile(Instant gate, Instant begin, Instant end) {}
