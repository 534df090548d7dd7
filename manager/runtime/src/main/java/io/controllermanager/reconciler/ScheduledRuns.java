package io.controllermanager.reconciler;

import io.controllermanager.client.internal.plan.Plan;
import io.controllermanager.controller.ControllerContext;
import io.controllermanager.controller.internal.PlanOwner;
import io.controllermanager.external.internal.Owner;
import io.controllermanager.schedule.Schedule;
import io.controllermanager.schedule.Slot;
import io.controllermanager.schedule.SlotAction;
import io.controllermanager.time.Clock;
import io.kubernetes.client.openapi.ApiException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Runs the slots of one object in one reconcile, and records on the object which was the last. Before it runs any it makes sure
 * that the object is as the API server has it: a cache that is behind, such as that of a new leader, must not have a slot run that
 * another process has run.
 */
record ScheduledRuns(Owner owner, String controller, Clock clock) {

    /** As {@link Reconciliation#scheduled}. */
    void run(String name, Schedule schedule, SlotAction action) throws ApiException {
        String annotation = LastSlot.annotation(controller, name);
        Instant created = owner.created();
        Instant now = clock.now();
        LastSlot stored = LastSlot.of(annotation, owner.annotation(annotation));
        // A schedule that is first seen begins when its object was created.
        LastSlot last = stored == null ? new LastSlot(created, schedule.toString()) : stored;
        Slot following = schedule.next(created, later(last.time(), now));
        if (following != null) {
            // Also if this reconcile fails, be it for good.
            owner.comesAgain(Duration.between(now, following.time()));
        }
        if (!last.schedule().equals(schedule.toString())) {
            // What another schedule would have had to do before is not missed.
            last = new LastSlot(later(last.time(), now), schedule.toString());
            owner.confirm(annotation);
            owner.annotate(annotation, last.toString());
        }
        List<Slot> due = schedule.due(created, last.time(), now);
        if (due.size() == Schedule.MOST_CAUGHT_UP && !due.get(0).equals(schedule.next(created, last.time()))) {
            owner.warn(
                    "TooManyMissedSlots",
                    "the schedule \"" + name + "\" has missed more than " + due.size()
                            + " slots; the newest of them are run");
        }
        if (!due.isEmpty()) {
            owner.confirm(annotation);
        }
        for (Slot slot : due) {
            last = new LastSlot(slot.time(), schedule.toString());
            if (schedule.isAtMostOnce()) {
                owner.annotate(annotation, last.toString());
                action.run(slot);
            } else {
                action.run(slot);
                owner.note(annotation, last.toString());
            }
        }
    }

    /** The action; in a dry run a note of it in the plan, since it may reach anywhere. */
    static SlotAction orPlanned(String name, SlotAction action, ControllerContext context) {
        Plan plan = PlanOwner.of(context);
        return plan == null
                ? action
                : slot -> plan.outside("run the slot " + slot.time() + " of the schedule \"" + name + "\"");
    }

    private static Instant later(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }
}
