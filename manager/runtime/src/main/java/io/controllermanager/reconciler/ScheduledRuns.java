package io.controllermanager.reconciler;

import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.internal.request.MetadataPatch;
import io.controllermanager.controller.ControllerContext;
import io.controllermanager.schedule.Schedule;
import io.controllermanager.schedule.Slot;
import io.controllermanager.schedule.SlotAction;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * Runs the slots of one object in one reconcile, and stores which was the last on the object. Before it runs any it reads the
 * object from the API server: a cache that is behind, such as that of a new leader, must not have a slot run that another process
 * has run. What it stores holds only for the state that it has read, so that a write which was long on its way cannot put a later
 * slot back.
 */
final class ScheduledRuns<T extends KubernetesObject> {

    private static final int CONFLICT = 409;

    /** As often as others may write the object between an action and the record of it; after that the slot is run again. */
    private static final int ATTEMPTS = 5;

    private final LiveReconciliation<T> reconciliation;
    private final ControllerContext context;
    private final ResourceClient<T> client;

    ScheduledRuns(LiveReconciliation<T> reconciliation, ResourceClient<T> client) {
        this.reconciliation = reconciliation;
        this.context = reconciliation.context();
        this.client = client;
    }

    /** As {@link Reconciliation#scheduled}. */
    void run(String name, Schedule schedule, SlotAction action) throws ApiException {
        T object = reconciliation.object();
        if (object.getMetadata().getDeletionTimestamp() != null) {
            return;
        }
        String annotation = LastSlot.annotation(context.name(), name);
        Instant created = LastSlot.created(object);
        LastSlot last = LastSlot.of(object, annotation, schedule);
        Instant now = context.clock().now();
        Slot following = schedule.next(created, later(last.time(), now));
        if (following != null) {
            // Also if this reconcile fails, be it for good.
            reconciliation.comesAgain(following.time());
        }
        if (!last.schedule().equals(schedule.toString())) {
            // What another schedule would have had to do before is not missed.
            last = new LastSlot(later(last.time(), now), schedule.toString());
            store(confirmed(annotation), annotation, last, 1);
        }
        List<Slot> due = schedule.due(created, last.time(), now);
        if (due.size() == Schedule.MOST_CAUGHT_UP && !due.get(0).equals(schedule.next(created, last.time()))) {
            reconciliation.warn(
                    "TooManyMissedSlots",
                    "the schedule \"" + name + "\" has missed more than " + due.size()
                            + " slots; the newest of them are run");
        }
        T confirmed = due.isEmpty() ? object : confirmed(annotation);
        for (Slot slot : due) {
            last = new LastSlot(slot.time(), schedule.toString());
            if (schedule.isAtMostOnce()) {
                confirmed = store(confirmed, annotation, last, 1);
                action.run(slot);
            } else {
                action.run(slot);
                confirmed = store(confirmed, annotation, last, ATTEMPTS);
            }
        }
    }

    private static Instant later(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }

    /** The object as the API server has it, if that is what the reconcile goes by. */
    private T confirmed(String annotation) throws ApiException {
        T known = reconciliation.object();
        T newest = newest(known, annotation);
        demandSameSpec(known, newest);
        return newest;
    }

    private static void demandSameSpec(KubernetesObject known, KubernetesObject newest) throws ApiException {
        if (!Objects.equals(
                known.getMetadata().getGeneration(), newest.getMetadata().getGeneration())) {
            throw behind();
        }
    }

    private T newest(T known, String annotation) throws ApiException {
        V1ObjectMeta metadata = known.getMetadata();
        T newest = client.get(metadata.getNamespace(), metadata.getName());
        if (newest == null
                || newest.getMetadata().getDeletionTimestamp() != null
                || !Objects.equals(metadata.getUid(), newest.getMetadata().getUid())
                || !Objects.equals(LastSlot.of(known, annotation), LastSlot.of(newest, annotation))) {
            throw behind();
        }
        return newest;
    }

    /** The reconcile is tried again, which does not count as failed. */
    private static ApiException behind() {
        return new ApiException(CONFLICT, "the object has changed meanwhile");
    }

    /** Stores it, after others have written as well; returns the object as it is then. */
    private T store(T confirmed, String annotation, LastSlot last, int attempts) throws ApiException {
        T written = null;
        T before = confirmed;
        for (int left = attempts - 1; written == null; left--) {
            try {
                written = write(before.getMetadata(), annotation, last);
            } catch (ApiException e) {
                if (e.getCode() != CONFLICT || left == 0) {
                    throw e;
                }
                before = newest(confirmed, annotation);
            }
        }
        // The status would tell of a spec that the reconciler has not seen.
        demandSameSpec(confirmed, written);
        reconciliation.goOnWith(written);
        return written;
    }

    private T write(V1ObjectMeta metadata, String annotation, LastSlot last) throws ApiException {
        return client.patch(
                metadata.getNamespace(),
                metadata.getName(),
                MetadataPatch.annotation(metadata, annotation, last.toString()));
    }
}
