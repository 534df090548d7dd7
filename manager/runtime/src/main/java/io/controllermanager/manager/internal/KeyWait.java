package io.controllermanager.manager.internal;

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
 * @param detail what the controller waits for, null for nothing
 * @param shard of the key, null if the controller is not divided
 * @param holder who has the Lease that the key is worked on by, null if nobody has
 * @param held whether that is this process
 * @param worksHere whether this process works on the key's shard
 * @param lack why no cached object has the key, as the end of a sentence about the controller, null if one has it
 * @param paused the annotation that pauses the object and its value, null if it is not paused
 * @param place where it is in the queue, null if there is none
 * @param workers how many keys are reconciled at once
 * @param last its last reconcile that changed something or failed, null if none is known
 * @param finalizers of an object that is being deleted, null if it is not
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
        @Nullable ReconcileRecord last,
        @Nullable List<String> finalizers) {

    /** What the key waits for, and what can be done about it. */
    String sentence() {
        String inTheWay = ofController();
        inTheWay = inTheWay != null ? inTheWay : ofObject();
        inTheWay = inTheWay != null ? inTheWay : ofQueue();
        return inTheWay != null ? inTheWay : atRest();
    }

    private @Nullable String ofController() {
        String why = detail == null ? "" : ": " + detail;
        return switch (state) {
            case DISABLED ->
                "Controller " + controller + " is switched off. Name it in controller-manager.controllers, or set"
                        + " controller-manager.controller." + controller + ".enabled=true.";
            case STOPPED ->
                "Controller " + controller + " is stopped" + why + ". Start it by the action start of its endpoint.";
            case FAILED ->
                "Controller " + controller + " has failed" + why
                        + ". Mend that, and start it by the action start of its endpoint.";
            case WAITING_FOR_TYPE ->
                "Controller " + controller + " waits for its types" + why + ". Install the missing CRD.";
            case WAITING_FOR_CACHES ->
                "Controller " + controller + " has not read all its objects yet" + why
                        + ". If this does not end, see /actuator/informers.";
            case PAUSED -> "Controller " + controller + " is paused by an operator. Resume it by the action resume.";
            case WAITING_FOR_LEADERSHIP, RUNNING -> worksHere ? null : elsewhere();
        };
    }

    private String elsewhere() {
        String what = shard == null ? "controller " + controller : "shard " + shard + " of controller " + controller;
        String why = detail == null ? "" : ": " + detail;
        if (held) {
            return "This replica has the Lease of " + what + " and does not work on it yet" + why
                    + ". If this does not end, see /actuator/leaderelection.";
        }
        return holder == null
                ? "No replica works on " + what + " yet" + why + ". If this does not end, see /actuator/leaderelection."
                : "Replica " + holder + " works on " + what + ". Ask that one.";
    }

    private @Nullable String ofObject() {
        if (lack != null && (place == null || isIdle(place))) {
            return "Controller " + controller + " " + lack
                    + ". Either it does not exist, or the controller's selectors or namespaces leave it out.";
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
            return null;
        }
        if (place.processing() != null) {
            return key + " is being reconciled for " + text(place.processing())
                    + (place.ready() == null ? "." : ", and once more after that.");
        }
        if (place.ready() != null) {
            return key + " is ready for " + text(place.ready()) + " at priority " + place.priority() + ", one of "
                    + place.readyKeys() + " keys for " + workers + " workers. If that grows, give the controller more"
                    + " workers.";
        }
        return place.delayed() == null ? null : delayed(place.delayed(), place.delay());
    }

    private String delayed(Duration yet, Causes.@Nullable Delay why) {
        String when = key + " is reconciled in " + text(yet);
        if (why == null) {
            return when + ".";
        }
        return switch (why) {
            case BACKOFF ->
                when + ", since the reconcile before failed" + failure()
                        + ". To try at once, use the action reconcile, or change the object.";
            case ASKED -> when + ", as its last reconcile asked for. A change of the object brings it at once.";
            case MIN_INTERVAL ->
                when + ", since controller-manager.controller." + controller + ".min-interval has not passed yet.";
            case UNDONE_WRITES ->
                when + ", since somebody changes back what the controller writes. The Event WritesUndone of the object"
                        + " names who.";
        };
    }

    private String failure() {
        return last == null || last.cause().isEmpty() ? "" : " by " + last.cause();
    }

    private String atRest() {
        if (last != null && last.terminal()) {
            return key + " failed" + failure()
                    + ", which is not tried again before the object changes. Change it, or use"
                    + " the action reconcile.";
        }
        if (finalizers != null) {
            return key + " is being deleted, and its finalizers " + String.join(", ", finalizers)
                    + " are still there. Whoever owns those that are not this controller's must remove them.";
        }
        return key + " waits for nothing: it is reconciled when something changes that concerns it.";
    }

    private static String text(Duration time) {
        return time.toMillis() < 10_000 ? time.toMillis() + " ms" : Objects.toString(time.toSeconds()) + " s";
    }
}
