package io.controllermanager.spring.config;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Which of several replicas works: everything below {@code controller-manager.leader-election}.
 *
 * @param enabled Whether replicas compete for a Lease, so that one of them works. If false, this process always works.
 * @param leaseDuration How long other replicas wait, after the last renewal that they saw, before they take the Lease. Must be
 *     longer than the renew deadline.
 * @param renewDeadline How long the leader works on without a successful renewal. Must be longer than 1.2 times the retry
 *     period.
 * @param retryPeriod Time between two attempts to take or renew the Lease.
 * @param resourceName Name of the Lease. Unless set, spring.application.name, changed to what Kubernetes allows in a name, if
 *     that is set.
 * @param leasePerController Whether each controller has a Lease of its own, so that replicas share the controllers. The Lease
 *     is called after the resource name, a dash and the controller. A rolling update may change this.
 * @param resourceNamespace Namespace of the Lease. Unless set, the pod's namespace. Outside a cluster, the namespace of the
 *     kubeconfig's context, or else "default".
 * @param formerResourceName Name of the Lease by which replicas of before the update work, as name or namespace/name, where a
 *     rolling update changes resource-name or resource-namespace. This process works only while it holds both Leases. May stay
 *     set, which costs a second Lease.
 * @param podUid Uid of the pod that this process runs in. A restarted container then takes the Lease of its predecessor at
 *     once. Set it only if no other process in the pod competes. The chart sets it.
 * @param releaseOnStop Whether to release the Lease when the workers have stopped, so that another replica takes over at once.
 * @param onLoss What the process does when it loses leadership: stand by and compete again, or exit with code 2.
 */
public record LeaderElectionProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("15s") Duration leaseDuration,
        @DefaultValue("10s") Duration renewDeadline,
        @DefaultValue("2s") Duration retryPeriod,
        @DefaultValue("controller-manager") String resourceName,
        boolean leasePerController,
        @Nullable String resourceNamespace,
        @Nullable String formerResourceName,
        @Nullable String podUid,
        @DefaultValue("true") boolean releaseOnStop,
        @DefaultValue("standby") OnLoss onLoss) {

    /** What to do when leadership is lost. */
    public enum OnLoss {
        /** Stop working, keep the caches warm and compete again. */
        STANDBY,
        /** End the process with exit code 2. */
        EXIT
    }
}
