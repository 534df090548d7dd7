package io.controllermanager.reconciler;

import io.controllermanager.client.Propagation;
import io.controllermanager.client.ResourceType;
import io.controllermanager.controller.ControllerContext;
import io.controllermanager.external.External;
import io.controllermanager.external.ExternalResources;
import io.controllermanager.informer.Selection;
import io.controllermanager.readiness.ObjectReadiness;
import io.controllermanager.readiness.Readiness;
import io.controllermanager.schedule.Schedule;
import io.controllermanager.schedule.SlotAction;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Condition;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One reconcile of one object: what it reads, applies and reports. Used by the thread that reconciles, while it does. What
 * is read comes from the shared caches, without a request, and is not to be changed.
 *
 * @param <T> the class of the object that is reconciled
 */
public interface Reconciliation<T extends KubernetesObject> {

    /** What the controller was made with: the host's client, the recorder for Events, the clock. */
    ControllerContext context();

    /**
     * Whether this is a dry run, which collects what would be written and changes nothing. Writes through the host's client and
     * by this need not ask. Code that reaches outside of Kubernetes by itself must, and then only reads.
     */
    default boolean isDryRun() {
        return context().isDryRun();
    }

    /**
     * Sees to it that a child is as wanted, by server-side apply in the controller's name; see {@link Applier#apply}.
     *
     * @param wanted each field that the controller has a say in. Its apiVersion, kind, owner and {@link ControllerDescription#labels} are
     *     filled in, and the object's name and namespace unless others are given
     * @return the child as it is now
     * @throws NameTakenException if the name belongs to somebody else
     * @throws FieldConflictException if others hold fields with other values, unless {@link ControllerDescription#force} is on
     */
    <C extends KubernetesObject> C apply(C wanted) throws ApiException;

    /**
     * Makes a child that is not there, with the object as its owner; leaves one alone that is.
     *
     * @return the child as it is now
     * @throws NameTakenException if the name belongs to somebody else
     */
    <C extends KubernetesObject> C create(C wanted) throws ApiException;

    /**
     * A child by its name, null if there is none.
     *
     * @throws NameTakenException if the name belongs to somebody else
     */
    <C extends KubernetesObject> @Nullable C child(ResourceType<C> type, String name);

    /**
     * Whether a child is ready, by {@link ObjectReadiness}: what was applied last counts, not an older generation.
     *
     * @param child as {@link #apply}, {@link #create} or {@link #child} has returned it
     */
    <C extends KubernetesObject> Readiness ready(C child);

    /** As {@link #ready(KubernetesObject)}, of the child of that name; one that is not there is not ready. */
    <C extends KubernetesObject> Readiness ready(ResourceType<C> type, String name);

    /**
     * Sets the condition of a stage, such as {@code Initialised}: whether it is reached, and why not.
     *
     * <pre>{@code
     * Readiness running = r.stage("Running", r.ready(r.apply(statefulSet)));
     * if (!running.isReady()) {
     *     return Outcome.of(running);
     * }
     * }</pre>
     *
     * @return the same readiness
     */
    default Readiness stage(String type, Readiness readiness) {
        condition(type, readiness.isReady(), readiness.reason(), readiness.message());
        return readiness;
    }

    /** All children of a type, from the cache, in any order. */
    <C extends KubernetesObject> List<C> children(ResourceType<C> type);

    /**
     * Deletes a child, and its dependents in the background, if it is there. What bears its name and is not the object's is left
     * alone. An event brings the object in again once the child is gone, so that a {@link Cleaner} can go on with what comes
     * next:
     *
     * <pre>{@code
     * if (!r.delete(statefulSet)) {
     *     return Outcome.progressing("StatefulSetGoing", "the StatefulSet is being deleted");
     * }
     * }</pre>
     *
     * @param child by its type, name and namespace, such as one that {@link #apply} would be given
     * @return whether it is gone
     * @throws IllegalStateException unless the description says {@link ControllerDescription#teardown} of its type, or {@link
     *     ControllerDescription#prunes}
     */
    default <C extends KubernetesObject> boolean delete(C child) throws ApiException {
        return delete(child, Propagation.BACKGROUND);
    }

    /** As {@link #delete(KubernetesObject)}; says what becomes of the child's dependents. */
    <C extends KubernetesObject> boolean delete(C child, Propagation propagation) throws ApiException;

    /**
     * Deletes the children that {@link #apply} of this controller has made and this reconcile has neither applied nor created.
     * Those that are {@link ControllerDescription#retained} stay.
     * Called after all else is applied; needs {@link ControllerDescription#prunes}.
     */
    void pruneOthers() throws ApiException;

    /**
     * Of the children of a type that match, leaves the newest and deletes the others, with their dependents in the background.
     * Those that are not finished count for nothing and stay: of Jobs those that are neither Complete nor Failed.
     *
     * @param most how many stay
     * @throws IllegalStateException if one is to be deleted, and the description says neither {@link
     *     ControllerDescription#prunes} nor {@link ControllerDescription#teardown} of the type
     */
    <C extends KubernetesObject> void keepLatest(ResourceType<C> type, int most, Predicate<C> which)
            throws ApiException;

    /**
     * Runs the slots of a schedule that are due, the oldest first, and has the object come in again at the next one. An
     * annotation of the object stores the last, so that no slot is run again after a restart or a fail-over, or when the clock
     * is set back:
     *
     * <pre>{@code
     * r.scheduled("backup", nightly, slot -> r.create(backupJob(database, slot.suffix())));
     * r.keepLatest(JOB, 3, job -> true);
     * }</pre>
     *
     * <p>What makes an object whose name has the slot in it makes one for each slot: another one only if the process is lost
     * before the slot is stored, and somebody deletes the object meanwhile. Other actions run at least once, or {@linkplain
     * Schedule#atMostOnce at most once}. The first slots are those since the object was created, and since then
     * those after a change of the schedule. Where this is not called, such as after an early return or while the object says
     * that it is suspended, slots are missed; {@link Schedule#missed} says what becomes of them. Of an object that is being
     * deleted no slot is run.
     *
     * @param name tells the controller's schedules apart: letters, digits and hyphens
     * @throws IllegalStateException unless the description says {@link ControllerDescription#schedules}
     * @throws ApiException if the action throws it, or the slot cannot be stored; a conflict ends the reconcile, which is tried
     *     again without counting as failed
     */
    void scheduled(String name, Schedule schedule, SlotAction action) throws ApiException;

    /**
     * An object of a type that is watched, null if there is none. As {@link #find(Selection, String)} for the whole type.
     *
     * @throws IllegalArgumentException if the controller does not watch the type
     */
    default <R extends KubernetesObject> @Nullable R find(ResourceType<R> type, String name) {
        return find(Selection.of(type), name);
    }

    /**
     * An object that is watched, null if there is none.
     *
     * @param selection one that the description names
     * @param name in the namespace of the object that is reconciled, or {@code namespace/name}
     * @throws IllegalArgumentException if the controller does not watch the selection
     */
    <R extends KubernetesObject> @Nullable R find(Selection<R> selection, String name);

    /** The objects of the controller's own type that an index of the description has under the value, in any order. */
    List<T> find(Index<T> index, String value);

    /**
     * What the object has outside Kubernetes of one kind. If something is recorded on an object when it is deleted, and the
     * {@link Cleaner} has not removed it, it is removed after that.
     *
     * @throws IllegalArgumentException if the description does not name it
     */
    <K, V> ExternalResources<K, V> external(External<K, V> external);

    /**
     * Sets what the status is to say. Fields that are null in it are taken away, conditions apart, and {@code
     * observedGeneration} is filled in where the class has it. Written once, when the reconcile ends, if it differs.
     *
     * @param status an object of the status's class
     */
    Reconciliation<T> status(Object status);

    /**
     * Sets a condition, next to those that the status has already.
     *
     * @param reason one UpperCamelCase word, for machines
     * @param message a sentence for people, with nothing in it that changes each time
     */
    default Reconciliation<T> condition(String type, boolean holds, String reason, String message) {
        return condition(new StatusCondition(type, holds ? "True" : "False", reason, message));
    }

    /**
     * As {@link #condition(String, boolean, String, String)}, also for the status Unknown.
     *
     * @throws IllegalStateException if the class of the object's status has no conditions
     */
    Reconciliation<T> condition(StatusCondition condition);

    /** The condition as the object had it when the reconcile began, null if it had none. */
    @Nullable
    V1Condition condition(String type);

    /**
     * Writes the status now rather than at the end, for whoever tells of it in Events. It is written once: what is set later
     * is for the next reconcile, a failure too. So it is called after the last thing that can fail, and not with an outcome
     * that sets the condition {@code Ready}.
     *
     * <p>For a controller whose description says {@link ControllerDescription#withoutErrorCondition()}. For any other {@code Ready}
     * would go to and fro with each try that fails behind this call; an outcome such as {@link Outcome#ready} tells of itself
     * in an Event.
     *
     * @return whether the object has changed
     * @throws IllegalStateException if a failure sets the condition {@code Ready}
     * @throws ApiException if it cannot be written; a conflict ends the reconcile, which is tried again without counting as
     *     failed
     */
    boolean writeStatus() throws ApiException;

    /** Whether this reconcile has made, changed or deleted a child, or written the status, so far. */
    boolean changed();

    /**
     * Records a Warning Event about the object, once: the same is recorded again only after another one, or after a reconcile
     * without any. For what the status has no place for.
     *
     * @param reason one UpperCamelCase word, for machines
     * @param message a sentence for people, with nothing in it that changes each time
     */
    void warn(String reason, String message);
}
