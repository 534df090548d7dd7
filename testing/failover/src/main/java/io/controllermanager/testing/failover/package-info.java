/**
 * Three replicas of the executable as processes of their own, before a real API server; what befalls them, in an order that
 * a seed gives; and a judge that reads the API server's audit log: two never write side by side, and nobody writes or
 * begins a reconcile who does not lead. {@link io.controllermanager.testing.failover.FailoverChaos} runs it, {@link
 * io.controllermanager.testing.failover.HandOver} measures how long hand-overs take, beside a peer.
 */
@NullMarked
package io.controllermanager.testing.failover;

import org.jspecify.annotations.NullMarked;
