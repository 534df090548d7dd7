package io.controllermanager.manager.internal;

import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.controller.internal.ControllerSnapshot;
import io.controllermanager.informer.internal.InformerStatus;
import io.controllermanager.leaderelection.internal.LeadershipStatus;
import io.controllermanager.workqueue.internal.QueueSnapshot;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The host of controllers. In its order: the API server serves a controller's types; its reconciler and informers are
 * made; their caches are synced; this process leads; the controller's workers run. Each controller goes this way by
 * itself, so that one that waits or fails keeps no other from running. Stopping goes the reverse way.
 *
 * <p>A standby does everything but reconcile, so that the first reconcile follows the acquisition at once. On loss of
 * leadership the process stands by with warm caches, where kube-controller-manager and controller-runtime's {@code
 * pkg/manager} leave it.
 *
 * <p>All methods may be called by any thread. Threads are named {@code controller-manager-…} and end with {@link #stop}.
 */
public final class ControllerManager implements ControllerOperations {

    private final HostParts parts;
    private volatile HostLoop host;
    private volatile boolean running;

    /** Starts nothing. */
    public ControllerManager(HostParts parts) {
        this.parts = parts;
        this.host = new HostLoop(parts);
    }

    /**
     * Starts and returns at once; what takes time is done on the host's own threads. May be called again after {@link
     * #stop}. Waits for a stop that is under way, which is why both are synchronized.
     *
     * @throws IllegalStateException if started already
     */
    public synchronized void start() {
        if (running) {
            throw new IllegalStateException("The controller manager is started already");
        }
        HostLoop started = new HostLoop(parts);
        host = started;
        running = true;
        started.start();
    }

    /**
     * Stops in the reverse order and returns when that is done: no reconcile begins any more, running ones end or are
     * interrupted once the shutdown timeout has passed, keys that are queued are left, then the Lease is released and the
     * informers stop. Takes no longer than the shutdown timeout and a few seconds, whatever reconcilers do; an API server
     * that does not answer may add the renew deadline. Does nothing if not started.
     */
    public synchronized void stop() {
        if (running) {
            running = false;
            host.stop();
        }
    }

    HostParts parts() {
        return parts;
    }

    /** Whether it is started and not stopped. */
    public boolean isRunning() {
        return running;
    }

    @Override
    public List<ControllerStatus> controllers() {
        return host.controllers().stream().map(one -> one.view().status()).toList();
    }

    @Override
    public void pause(String name) {
        current().wish(name, ControllerLife.Wish.PAUSE);
    }

    @Override
    public void resume(String name) {
        current().wish(name, ControllerLife.Wish.RUN);
    }

    @Override
    public void resize(String name, int workers) {
        ControllerOptions.checkWorkers(workers);
        current().running(name).view().resize(workers);
    }

    @Override
    public void reconcileNow(String name, Request key) {
        current().running(name).view().reconcileNow(key);
    }

    /**
     * Has each controller that works look at every object of its sources once more, behind live changes, as a resync of
     * client-go's informers does. Returns when all are queued. Leaves out controllers that bring their own workers.
     *
     * @throws IllegalStateException if this is not running
     */
    public void resync() {
        current().controllers().forEach(one -> one.view().resync());
    }

    @Override
    public QueueSnapshot<Request> queue(String name) {
        return current().running(name).view().controller().queueSnapshot();
    }

    @Override
    public List<ControllerSnapshot.Failure> failures(String name) {
        return current().running(name).view().controller().recentFailures();
    }

    @Override
    public KeyExplanation explain(String name, Request key) {
        return new KeyView(current().controller(name), parts).explain(key);
    }

    @Override
    public List<Request> search(String name, String text) {
        return parts.journal().search(current().controller(name).name(), text, 100);
    }

    @Override
    public void stopController(String name) {
        current().stop(name);
    }

    @Override
    public void startController(String name) {
        current().start(name);
    }

    private HostLoop current() {
        if (!running) {
            throw new IllegalStateException("the controller manager is not running");
        }
        return host;
    }

    /** How each informer is. */
    public List<InformerStatus> informers() {
        return parts.cluster().informers();
    }

    /**
     * How leadership is; a host without leader election always leads while it runs. Where each controller has a Lease of its
     * own, of all together: {@code leading} says whether this process holds any.
     */
    public LeadershipStatus leadership() {
        return parts.leadership().status(running);
    }

    /** All Leases that this process competes for, as {@code namespace/name}; none if it always leads. */
    public Set<String> leases() {
        return parts.leadership().leases();
    }

    /** How leadership is for each controller that has a Lease of its own, by its name; empty where the host has one. */
    public Map<String, LeadershipStatus> leaderships() {
        return parts.leadership().statuses();
    }

    /** How each shard of each divided controller is, by the controllers' names, as this process sees it. */
    public Map<String, List<ShardStatus>> shards() {
        Map<String, List<ShardStatus>> shards = new LinkedHashMap<>();
        host.controllers().stream()
                .filter(HostedController::isDivided)
                .forEach(one -> shards.put(one.name(), one.view().shards()));
        return shards;
    }

    /**
     * Unhealthy only if a restart of the process would help: the election is stuck, or a controller's workers are dead or
     * many of its reconciles stuck (see {@link io.controllermanager.controller.internal.ControllerSnapshot#restartReason}).
     */
    public HealthReport liveness() {
        List<String> reasons = new ArrayList<>(parts.leadership().stuck());
        List<String> warnings = new ArrayList<>();
        if (running) {
            addOf(controller -> controller.view().ofWork(ControllerSnapshot::restartReason), reasons);
            addOf(controller -> controller.view().ofWork(ControllerSnapshot::warning), warnings);
        }
        return new HealthReport(reasons, warnings);
    }

    /**
     * Healthy once every enabled controller could work, its types served and its caches filled, on a standby as on the
     * leader: a rollout that brings a controller before its CRD has not succeeded. One that waits for a type does not count
     * where its options say so. One that failed counts, and so does an API server or Lease that cannot be reached from the
     * start, and a permission without which this process cannot lead when it should.
     *
     * @param withoutRights whether what may not be read is a warning only
     */
    public HealthReport readiness(boolean withoutRights) {
        if (!running) {
            return new HealthReport(List.of("the controller manager is not running"), List.of());
        }
        List<String> reasons = new ArrayList<>();
        List<String> warnings = new ArrayList<>();
        addOf(one -> one.view().notReady(withoutRights), reasons);
        addOf(one -> withoutRights ? one.view().missingRights() : null, warnings);
        reasons.addAll(parts.leadership().outOfReach());
        return new HealthReport(reasons, warnings);
    }

    private void addOf(Function<HostedController, @Nullable String> problem, List<String> sentences) {
        for (HostedController controller : host.controllers()) {
            String found = problem.apply(controller);
            if (found != null) {
                sentences.add("controller " + controller.name() + ": " + found);
            }
        }
    }
}
