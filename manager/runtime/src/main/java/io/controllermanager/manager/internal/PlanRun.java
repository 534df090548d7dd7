package io.controllermanager.manager.internal;

import io.controllermanager.client.internal.plan.Plan;
import io.controllermanager.client.internal.plan.PlanReport;
import io.controllermanager.client.internal.request.Keys;
import io.controllermanager.informer.internal.InformerStatus;
import io.controllermanager.workqueue.internal.QueueSnapshot;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sees a dry run to its end: when each key was reconciled, and none is to come again soon.
 *
 * @param manager has been started, with the plan's connection
 * @param soon a key that comes again within this time is waited for
 * @param limit how long all of it may take
 */
public record PlanRun(ControllerManager manager, Plan plan, Duration soon, Duration limit) {

    private static final Duration LOOK = Duration.ofMillis(50);

    /** So often in a row nothing was left to do: an event may have been on its way from one place to the next. */
    private static final int QUIET = 3;

    /** Waits, and tells what has been found; after the time limit as far as it has come. */
    public PlanReport run() throws InterruptedException {
        HostParts parts = manager.parts();
        long end = parts.clock().nanoTime() + limit.toNanos();
        String busy = "nothing has begun";
        long before = -1;
        int quiet = 0;
        while (quiet < QUIET && parts.clock().nanoTime() - end < 0) {
            parts.timer().sleep(LOOK);
            // Where nothing but rights is missing, what may be read is planned.
            busy = manager.readiness(true).reasons().isEmpty() ? null : starting();
            if (busy == null) {
                plan.begin();
                busy = working();
            }
            long reconciles = manager.controllers().stream()
                    .mapToLong(ControllerStatus::reconciles)
                    .sum();
            quiet = busy == null && reconciles == before ? quiet + 1 : 0;
            before = reconciles;
        }
        List<String> incomplete = new ArrayList<>(manager.readiness(false).reasons());
        if (quiet < QUIET) {
            incomplete.add("not at its end after " + limit.toSeconds() + " s: " + busy);
        }
        return plan.report(incomplete, later());
    }

    /** What is still to be read, null if that is all; who waits for a type may wait for ever. */
    private @Nullable String starting() {
        for (ControllerStatus controller : manager.controllers()) {
            boolean starts = switch (controller.state()) {
                case DISABLED, FAILED, RUNNING, PAUSED -> false;
                case WAITING_FOR_TYPE -> "starting".equals(controller.detail());
                case STOPPED, WAITING_FOR_CACHES, WAITING_FOR_LEADERSHIP -> true;
            };
            if (starts) {
                return "controller " + controller.name() + " is " + controller.state();
            }
        }
        return null;
    }

    /** What is still to be done, null if that is all. */
    private @Nullable String working() {
        for (InformerStatus informer : manager.informers()) {
            if (informer.handlers().stream()
                    .anyMatch(one -> one.backlog() > 0 || !one.lag().isZero())) {
                return "events of " + informer.resource() + " wait";
            }
        }
        for (ControllerStatus controller : manager.controllers()) {
            if (controller.state() == ControllerState.RUNNING && isBusy(controller)) {
                return "controller " + controller.name() + " has keys to reconcile";
            }
        }
        return null;
    }

    private boolean isBusy(ControllerStatus controller) {
        QueueSnapshot<Request> queue = queue(controller);
        // What its caches hold may be still to be queued.
        return ControllerView.REQUEUEING.equals(controller.detail())
                || controller.queueDepth() + controller.activeWorkers() > 0
                || (queue != null && queue.delayed().values().stream().anyMatch(delay -> delay.compareTo(soon) <= 0));
    }

    /** Null for one that brings its own. */
    private @Nullable QueueSnapshot<Request> queue(ControllerStatus controller) {
        try {
            return manager.queue(controller.name());
        } catch (IllegalStateException e) {
            return null;
        }
    }

    private List<String> later() {
        List<String> later = new ArrayList<>();
        for (ControllerStatus controller : manager.controllers()) {
            QueueSnapshot<Request> queue = queue(controller);
            if (queue == null) {
                continue;
            }
            queue.delayed()
                    .forEach((key, delay) -> later.add(
                            "%s %s: in %d s".formatted(controller.name(), Keys.shown(key), delay.toSeconds())));
            int more = queue.delayedKeys() - queue.delayed().size();
            if (more > 0) {
                later.add(controller.name() + ": " + more + " more keys");
            }
        }
        return later;
    }
}
