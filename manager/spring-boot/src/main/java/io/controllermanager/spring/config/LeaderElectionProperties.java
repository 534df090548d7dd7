package io.controllermanager.spring.config;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Which of several replicas works: everything below {@code controller-manager.leader-election}. */
public class LeaderElectionProperties {

    /** Whether replicas compete for a Lease, so that one of them works. If false, this process always works. */
    private boolean enabled = true;

    /** How long other replicas wait, after the last renewal that they saw, before they take the Lease. Must be longer than the renew deadline. */
    private Duration leaseDuration = Duration.ofSeconds(15);

    /** How long the leader works on without a successful renewal. Must be longer than 1.2 times the retry period. */
    private Duration renewDeadline = Duration.ofSeconds(10);

    /** Time between two attempts to take or renew the Lease. */
    private Duration retryPeriod = Duration.ofSeconds(2);

    /** Name of the Lease. Unless set, spring.application.name, changed to what Kubernetes allows in a name, if that is set. */
    private String resourceName = "controller-manager";

    /** Whether each controller has a Lease of its own, so that replicas share the controllers. The Lease is called after the resource name, a dash and the controller. A rolling update may change this. */
    private boolean leasePerController;

    /** Namespace of the Lease. Unless set, the pod's namespace. Outside a cluster, the namespace of the kubeconfig's context, or else "default". */
    private @Nullable String resourceNamespace;

    /** Name of the Lease by which replicas of before the update work, as name or namespace/name, where a rolling update changes resource-name or resource-namespace. This process works only while it holds both Leases. May stay set, which costs a second Lease. */
    private @Nullable String formerResourceName;

    /** Uid of the pod that this process runs in. A restarted container then takes the Lease of its predecessor at once. Set it only if no other process in the pod competes. The chart sets it. */
    private @Nullable String podUid;

    /** Whether to release the Lease when the workers have stopped, so that another replica takes over at once. */
    private boolean releaseOnStop = true;

    /** What the process does when it loses leadership: stand by and compete again, or exit with code 2. */
    private OnLoss onLoss = OnLoss.STANDBY;

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public Duration getLeaseDuration() {
        return leaseDuration;
    }

    public void setLeaseDuration(Duration leaseDuration) {
        this.leaseDuration = leaseDuration;
    }

    public Duration getRenewDeadline() {
        return renewDeadline;
    }

    public void setRenewDeadline(Duration renewDeadline) {
        this.renewDeadline = renewDeadline;
    }

    public Duration getRetryPeriod() {
        return retryPeriod;
    }

    public void setRetryPeriod(Duration retryPeriod) {
        this.retryPeriod = retryPeriod;
    }

    public String getResourceName() {
        return resourceName;
    }

    public void setResourceName(String resourceName) {
        this.resourceName = resourceName;
    }

    public boolean isLeasePerController() {
        return leasePerController;
    }

    public void setLeasePerController(boolean leasePerController) {
        this.leasePerController = leasePerController;
    }

    public @Nullable String getResourceNamespace() {
        return resourceNamespace;
    }

    public void setResourceNamespace(@Nullable String resourceNamespace) {
        this.resourceNamespace = resourceNamespace;
    }

    public @Nullable String getFormerResourceName() {
        return formerResourceName;
    }

    public void setFormerResourceName(@Nullable String formerResourceName) {
        this.formerResourceName = formerResourceName;
    }

    public @Nullable String getPodUid() {
        return podUid;
    }

    public void setPodUid(@Nullable String podUid) {
        this.podUid = podUid;
    }

    public boolean isReleaseOnStop() {
        return releaseOnStop;
    }

    public void setReleaseOnStop(boolean releaseOnStop) {
        this.releaseOnStop = releaseOnStop;
    }

    public OnLoss getOnLoss() {
        return onLoss;
    }

    public void setOnLoss(OnLoss onLoss) {
        this.onLoss = onLoss;
    }

    /** What to do when leadership is lost. */
    public enum OnLoss {
        /** Stop working, keep the caches warm and compete again. */
        STANDBY,
        /** End the process with exit code 2. */
        EXIT
    }
}
