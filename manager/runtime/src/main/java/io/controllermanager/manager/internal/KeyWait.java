package io.controllermanager.manager.internal;

import io.controllermanager.controller.internal.journal.Journal.TimeLine;
import io.controllermanager.controller.internal.journal.ReconcileRecord;
import io.controllermanager.workqueue.internal.Causes;
import io.controllermanager.workqueue.internal.Place;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a key that may wait for something; {@link #sentence} says for what, by the first thing that is in its way.
 *
 * @param controller the controller's name
 * @param key {@code namespace/name}, or just the name
 * @param state where the controller is in its life
 * @param detail what the controller waits for, or what its caches lack while it runs; null for nothing
 * @param shard of the key, null if the controller is not divided
 * @param holder who has the Lease that the key is worked on by, null if nobody has
 * @param held whether that is this process
 * @param worksHere whether this process works on the key's shard
 * @param lack why no cached object has the key, as the end of a sentence about the controller, null if one has it
 * @param paused the annotation that pauses the object and its value, null if it is not paused
 * @param place where it is in the queue, null if there is none
 * @param workers how many keys are reconciled at once
 * @param known its last reconciles
 * @param finalizers of an object that is being deleted, null if it is not
 * @param trigger the annotation that has the object reconciled, null if there is no object
 */
record KeyWait(
        String controller,
        String key,
        ControllerState state,
        @Nullable String detail,
        @Nullable Integer shard,
        @Nullable String holder,
        boolean held,
        boolean worksHere,
        @Nullable String lack,
        @Nullable String paused,
        @Nullable Place place,
        int workers,
        TimeLine known,
        @Nullable List<String> finalizers,
        @Nullable String trigger) {

    /** What the key waits for, and what can be done about it. */
    String sentence() {
        String inTheWay = ofController();
        inTheWay = inTheWay != null ? inTheWay : ofObject();
        inTheWay = inTheWay != null ? inTheWay : ofQueue();
        return inTheWay != null ? inTheWay : atRest();
    }

    private @Nullable String ofController() {
        return switch (state) {
            case DISABLED ->
                "Controller " + controller + " is switched off. It runs if controller-manager.controllers names it and"
                        + " controller-manager.controller." + controller + ".enabled is not false.";
            case WAITING_FOR_TYPE ->
                "Controller " + controller + " waits for its types" + why() + ". If a CRD is missing, install it.";
            default ->
                holder != null && !held
                        ? "Replica " + holder + " works on " + work() + ". Ask that one."
                        : ofThisReplica();
        };
    }

    private @Nullable String ofThisReplica() {
        String act = " of /actuator/controllers/" + controller + ", or restart this process.";
        return switch (state) {
            case STOPPED -> "Controller " + controller + " is stopped" + why() + ". Use the action start" + act;
            case FAILED ->
                "Controller " + controller + " has failed" + why() + ". Mend that, and use the action start" + act;
            case PAUSED -> "Controller " + controller + " is paused by an operator. Use the action resume" + act;
            case WAITING_FOR_CACHES ->
                "Controller " + controller + " has not read all its objects yet" + why()
                        + ". If this does not end, mend what /actuator/informers shows.";
            default -> worksHere ? null : nobodyWorks();
        };
    }

    private String nobodyWorks() {
        return (held
                        ? "This replica has the Lease of " + work() + " and does not work on it yet"
                        : "No replica works on " + work() + " yet")
                + why() + ". If this does not end, see /actuator/leaderelection.";
    }

    private String work() {
        return shard == null ? "controller " + controller : "shard " + shard + " of controller " + controller;
    }

    private String why() {
        return detail == null ? "" : ": " + detail;
    }

    private @Nullable String ofObject() {
        if (lack != null && (place == null || isIdle(place))) {
            return "Controller " + controller + " " + lack + ".";
        }
        return paused == null
                ? null
                : key + " is paused by its annotation " + paused + ". Remove the annotation to have it reconciled.";
    }

    private static boolean isIdle(Place place) {
        return place.processing() == null && place.ready() == null && place.delayed() == null;
    }

    private @Nullable String ofQueue() {
        if (place == null) {
            return "Controller " + controller + " brings its own workers, so that nothing is known of a single key. See"
                    + " the log.";
        }
        if (place.processing() != null) {
            return key + " has been in a reconcile for " + text(place.processing())
                    + (place.ready() == null ? "" : ", and comes once more after it")
                    + ". If that does not end, controller-manager.controller." + controller
                    + ".reconcile-timeout interrupts it, and the log tells where it hangs.";
        }
        if (place.ready() != null) {
            return key + " has waited " + text(place.ready()) + " for one of " + workers + " workers at priority "
                    + place.priority() + ", with " + Math.max(0, place.readyKeys() - 1)
                    + " other keys. If that grows, raise"
                    + " controller-manager.controller." + controller + ".workers.";
        }
        return place.delayed() == null ? null : delayed(place.delayed(), place.delay());
    }

    private String delayed(Duration yet, Causes.@Nullable Delay why) {
        String when = key + " is reconciled in " + text(yet);
        if (why == null) {
            return when + "." + atOnce();
        }
        return when
                + switch (why) {
                    case BACKOFF -> ", since its last reconcile failed" + failure();
                    case ASKED -> ", as its last reconcile asked for. A change of the object brings it at once.";
                    case MIN_INTERVAL ->
                        ", since controller-manager.controller." + controller + ".min-interval has not passed yet."
                                + atOnce();
                    case UNDONE_WRITES ->
                        ", since somebody changes back what the controller writes. After that, an Event WritesUndone of"
                                + " what it writes names who: one of the two must let go.";
                };
    }

    private String failure() {
        ReconcileRecord last = last();
        return (last == null || last.cause().isEmpty()
                        ? " or asked to be repeated"
                        : " with " + last.cause().replaceFirst(" at .*", ""))
                + ". See /actuator/controllers/" + controller + "/errors and the log." + atOnce();
    }

    private String atOnce() {
        return trigger == null ? "" : " To have it reconciled at once, change its annotation " + trigger + ".";
    }

    /** The last reconcile of all if it changed something or failed. */
    private @Nullable ReconcileRecord last() {
        ReconcileRecord last =
                known.records().isEmpty() ? null : known.records().get(0);
        return last == null || (known.quietAt() != null && known.quietAt().isAfter(last.at())) ? null : last;
    }

    private String atRest() {
        ReconcileRecord last = last();
        if (last != null && last.terminal()) {
            return key + " is not tried again before it changes, since its last reconcile failed" + failure();
        }
        if (finalizers != null) {
            return key
                    + " is being deleted, and waits until each of these finalizers is removed by whoever has set it: "
                    + String.join(", ", finalizers) + ".";
        }
        if (ControllerView.REQUEUEING.equals(detail)) {
            return key + " waits until controller " + controller + " has queued all that its caches hold. That takes"
                    + " seconds.";
        }
        if (detail != null) {
            return key + " waits for nothing that this replica knows of. It may have missed something" + why()
                    + ". Mend that.";
        }
        boolean forgotten = known.records().isEmpty() && known.quietAt() == null;
        return key + " waits for nothing"
                + (forgotten
                        ? ", and no reconcile of it is remembered here: it was long ago, or the controller's predicate"
                                + " leaves the object out."
                        : ": it is reconciled when something changes that concerns it.")
                + atOnce();
    }

    private static String text(Duration time) {
        return time.toMillis() < 10_000 ? time.toMillis() + " ms" : Objects.toString(time.toSeconds()) + " s";
    }
}
