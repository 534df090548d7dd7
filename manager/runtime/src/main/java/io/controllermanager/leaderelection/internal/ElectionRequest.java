package io.controllermanager.leaderelection.internal;

import io.kubernetes.client.openapi.models.V1Lease;
import org.jspecify.annotations.Nullable;

/** A request for the Lease: the Lease to write, null for a read; what was known when it was decided; its place in the task, from 0. */
record ElectionRequest(ElectionTask task, @Nullable V1Lease lease, KnownLease known, int number) {}
