/**
 * One of several replicas leads: acquired, renewed and released over a
 * {@code coordination.k8s.io/v1} Lease, compatible on the wire with client-go{@code 's} leaderelection. Or they share the
 * work: one Lease for each controller, spread evenly. For the host; it may change with every version.
 */
@NullMarked
package io.controllermanager.leaderelection.internal;

import org.jspecify.annotations.NullMarked;
