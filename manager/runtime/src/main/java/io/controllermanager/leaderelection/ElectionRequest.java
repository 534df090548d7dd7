package io.controllermanager.leaderelection;

import io.kubernetes.client.openapi.models.V1Lease;
import org.jspecify.annotations.Nullable;

/**
 * A request for the Lease.
 *
 * @param task what it is a part of
 * @param lease the Lease to write, null for a read
 * @param known what was known of the Lease when this was decided
 * @param number which of its task's requests this is, from 0
 */
record ElectionRequest(ElectionTask task, @Nullable V1Lease lease, KnownLease known, int number) {}
