package io.controllermanager.reconciler;

import io.controllermanager.client.Propagation;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.internal.request.Keys;
import io.controllermanager.controller.ControllerContext;
import io.controllermanager.external.External;
import io.controllermanager.external.ExternalResources;
import io.controllermanager.external.internal.Externals;
import io.controllermanager.informer.Selection;
import io.controllermanager.readiness.ObjectReadiness;
import io.controllermanager.readiness.Readiness;
import io.controllermanager.schedule.Schedule;
import io.controllermanager.schedule.SlotAction;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Condition;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A reconcile by a running controller. */
final class LiveReconciliation<T extends KubernetesObject> implements Reconciliation<T>, ChildChanges {

    /** kstatus takes an object that has it for one that is in progress, whatever {@code Ready} says. */
    private static final String WAITING = "Reconciling";

    private static final String WAITS = "WaitsForBudget";

    /** When a change that waits for a slot is tried again though nothing has woken it. */
    private static final Duration SLOT_RETRY = Duration.ofMinutes(5);

    private final TypedReconciler<T> controller;
    private final Applier<T> applier;
    private final Set<String> applied = new HashSet<>();
    private final Map<String, StatusCondition> conditions = new LinkedHashMap<>();
    private final LiveOwner<T> owner;
    final Externals.Session externals;
    private T object;
    private @Nullable Object status;
    private boolean recovered;
    private boolean written;
    private boolean writesEarly;
    private boolean changed;
    private boolean warned;
    /** Whether a change has to wait for a slot. */
    boolean waiting;

    /**
     * What was recorded in an Event, so that what says the same is not recorded again.
     *
     * @param words the message of a warning, or the kind of Event that told of an outcome
     */
    record Told(@Nullable String uid, String reason, String words) {}

    LiveReconciliation(TypedReconciler<T> controller, T object) {
        this.controller = controller;
        this.applier = controller.applier.noting(this);
        this.object = object;
        this.owner = new LiveOwner<>(this, controller.client);
        this.externals = controller.externals.of(owner);
    }

    T object() {
        return object;
    }

    /** From now on it is about a newer state of the object. */
    void goOnWith(T newer) {
        this.object = newer;
    }

    @Override
    public void begin(KubernetesObject child) throws ApiException {
        if (controller.gate != null) {
            controller.gate.enter(object, applier.ready(child));
        }
    }

    @Override
    public void done() {
        changed = true;
    }

    @Override
    public ControllerContext context() {
        return controller.context;
    }

    @Override
    public <C extends KubernetesObject> C apply(C wanted) throws ApiException {
        // It is wanted also where this fails.
        applied.add(applier.key(object, wanted));
        return applier.apply(object, wanted);
    }

    @Override
    public <C extends KubernetesObject> C create(C wanted) throws ApiException {
        // A former version of the controller may have applied it.
        applied.add(applier.key(object, wanted));
        return applier.create(object, wanted);
    }

    @Override
    public <C extends KubernetesObject> @Nullable C child(ResourceType<C> type, String name) {
        return applier.child(object, type, name);
    }

    @Override
    public <C extends KubernetesObject> Readiness ready(C child) {
        return applier.ready(child);
    }

    @Override
    public <C extends KubernetesObject> Readiness ready(ResourceType<C> type, String name) {
        return ObjectReadiness.of(type.qualifiedKind(), child(type, name));
    }

    @Override
    public <C extends KubernetesObject> List<C> children(ResourceType<C> type) {
        return applier.children(object, type);
    }

    @Override
    public <C extends KubernetesObject> boolean delete(C child, Propagation propagation) throws ApiException {
        requireDeletable(child);
        return applier.delete(object, child, propagation);
    }

    private void requireDeletable(KubernetesObject child) {
        if (!applier.mayDelete(child, controller.description.children.mayPrune())) {
            throw refused("must say prunes(), or owns(...).teardown() of a "
                    + child.getClass().getSimpleName() + ", in its description: it needs the right to delete it");
        }
    }

    @Override
    public void pruneOthers() throws ApiException {
        if (!controller.description.children.mayPrune()) {
            throw refused("must say prunes() in its description: it needs the right to delete what it owns");
        }
        applier.prune(object, applied);
    }

    @Override
    public <C extends KubernetesObject> void keepLatest(ResourceType<C> type, int most, Predicate<C> which)
            throws ApiException {
        for (C child : LatestChildren.surplus(children(type), most, which)) {
            requireDeletable(child);
            // What is finished serves nobody, so that it needs no slot.
            controller.applier.noting(() -> changed = true).delete(object, child, Propagation.BACKGROUND);
        }
    }

    @Override
    public void scheduled(String name, Schedule schedule, SlotAction action) throws ApiException {
        if (!controller.description.schedules) {
            throw refused("must say schedules() in its description: it needs the right to store the last slot");
        }
        if (object.getMetadata().getDeletionTimestamp() == null) {
            SlotAction runs = ScheduledRuns.orPlanned(name, action, context());
            new ScheduledRuns(owner, context().name(), context().clock()).run(name, schedule, runs);
        }
    }

    @Override
    public <R extends KubernetesObject> @Nullable R find(Selection<R> selection, String name) {
        return controller.find(object, selection, name);
    }

    @Override
    public List<T> find(Index<T> index, String value) {
        return controller.description.indexes.find(index, value);
    }

    @Override
    public <K, V> ExternalResources<K, V> external(External<K, V> external) {
        return externals.resources(external);
    }

    /** Has the object come again at a time, whatever comes of this reconcile. */
    void comesAgain(Instant at) {
        controller.memories.comesAgain(Keys.of(object), at);
    }

    @Override
    public Reconciliation<T> status(Object newStatus) {
        requireStatus();
        this.status = newStatus;
        return this;
    }

    @Override
    public Reconciliation<T> condition(StatusCondition condition) {
        requireStatus();
        if (!controller.conditions) {
            throw refused("cannot set the condition " + condition.type() + ": the status of "
                    + object.getClass().getName() + " has no field \"conditions\"");
        }
        conditions.put(condition.type(), condition);
        return this;
    }

    @Override
    public @Nullable V1Condition condition(String type) {
        return Conditions.of(object, type);
    }

    @Override
    public boolean writeStatus() throws ApiException {
        if (controller.description.errorCondition) {
            throw refused(
                    "must say withoutErrorCondition() in its description to call writeStatus(): a failure after it"
                            + " would have the condition Ready go to and fro");
        }
        writesEarly = true;
        takeFailureBack();
        return write();
    }

    @Override
    public boolean changed() {
        return changed;
    }

    @Override
    public void warn(String reason, String message) {
        warned = true;
        if (isNew(controller.warned, reason, message)) {
            controller.context.events().warning(object, reason, message);
        }
    }

    /** Writes the status unless that has been done; whether the object has changed. */
    boolean write() throws ApiException {
        boolean silent = status == null && conditions.isEmpty();
        if (written || (silent && !(recovered && ErrorCondition.isOne(condition(ErrorCondition.TYPE))))) {
            return false;
        }
        try {
            written = controller.statusWriter.write(object, status, List.copyOf(conditions.values()), recovered);
            changed |= written;
            return written;
        } catch (ApiException | RuntimeException e) {
            // What was refused is not part of the report of it.
            status = null;
            conditions.clear();
            recovered = false;
            throw e;
        }
    }

    /**
     * Writes what is left to be written of a reconcile that has come to its end, and tells of a state that is a new one.
     *
     * @return what is told
     */
    Outcome end(Outcome reached) throws ApiException {
        if (waiting) {
            return reached;
        }
        Outcome outcome = controller.deadline.check(object, condition(ErrorCondition.TYPE), reached);
        StatusCondition now = outcome.condition();
        if (now == null) {
            controller.told.remove(Keys.of(object));
            takeFailureBack();
            takeWaitBack();
            write();
        } else if (writesEarly) {
            throw refused(
                    "must not call writeStatus() and return an outcome that sets the condition Ready: the status is"
                            + " written once");
        } else if (!controller.conditions) {
            write();
            tellOnce(now, outcome.warning());
        } else {
            V1Condition before = condition(now.type());
            condition(now);
            takeWaitBack();
            boolean worse = worsens(now, outcome.warning());
            boolean changes = before == null || !now.reason().equals(before.getReason());
            if ((write() && changes) || worse) {
                tell(now, outcome.warning());
            }
        }
        applier.retain(object, applied);
        if (!warned) {
            controller.warned.remove(Keys.of(object));
        }
        return outcome;
    }

    /**
     * Tells of a change that has to wait. The rest of the status stays as it is, since the object does. If what was to be
     * changed is not ready, so is the object: then it counts, and is brought in to be changed without a slot.
     */
    Outcome waits(WaitsForSlotException e) throws ApiException {
        status = null;
        conditions.clear();
        StatusCondition waits = new StatusCondition(WAITING, "True", WAITS, String.valueOf(e.getMessage()));
        if (controller.conditions) {
            condition(waits);
            V1Condition ready = condition(ErrorCondition.TYPE);
            StatusCondition now =
                    new StatusCondition(ErrorCondition.TYPE, "False", e.child.reason(), e.child.message());
            boolean breaks = !e.child.isReady() && ready != null && "True".equals(ready.getStatus());
            if (breaks) {
                condition(now);
            }
            if (write() && breaks) {
                tell(now, false);
            }
        } else {
            tellOnce(waits, false);
        }
        waiting = true;
        return Outcome.done().again(SLOT_RETRY);
    }

    private void takeWaitBack() {
        V1Condition before = controller.gate == null ? null : condition(WAITING);
        if (before != null && WAITS.equals(before.getReason()) && !conditions.containsKey(WAITING)) {
            conditions.put(WAITING, new StatusCondition(WAITING, "False", "Proceeds", "waits for no slot"));
        }
    }

    /** Tells of a failure; whether that says something new. */
    boolean fail(StatusCondition failure) throws ApiException {
        if (!controller.conditions) {
            return tellOnce(failure, true);
        }
        condition(failure);
        boolean news = write();
        if (news) {
            tell(failure, true);
        }
        return news;
    }

    /** Where no condition shows what was told. */
    private boolean tellOnce(StatusCondition condition, boolean warning) {
        boolean news = isNew(controller.told, condition.reason(), kind(warning));
        if (news) {
            tell(condition, warning);
        }
        return news;
    }

    /** Whether a state has become a failure that was none when it was told, though its reason is the same. */
    private boolean worsens(StatusCondition now, boolean warning) {
        Told before = controller.told.remove(Keys.of(object));
        Told normal = new Told(object.getMetadata().getUid(), now.reason(), kind(false));
        if (!warning && !now.status().equals("True")) {
            controller.told.put(Keys.of(object), normal);
        }
        return warning && normal.equals(before);
    }

    private static String kind(boolean warning) {
        return warning ? "Warning" : "Normal";
    }

    private boolean isNew(Map<Request, Told> last, String reason, String words) {
        Told now = new Told(object.getMetadata().getUid(), reason, words);
        return !now.equals(last.put(Keys.of(object), now));
    }

    /** Also that of a former version of the controller, where this one does not tell of failures. */
    private void takeFailureBack() {
        recovered = controller.conditions && !conditions.containsKey(ErrorCondition.TYPE);
    }

    private void tell(StatusCondition condition, boolean warning) {
        if (warning) {
            controller.context.events().warning(object, condition.reason(), condition.message());
        } else {
            controller.context.events().normal(object, condition.reason(), condition.message());
        }
    }

    private IllegalStateException refused(String why) {
        return new IllegalStateException("controller \"" + controller.context.name() + "\" " + why);
    }

    private void requireStatus() {
        if (!controller.description.status) {
            throw refused("writes no status: " + object.getClass().getName()
                    + " has none of its own, or the description says so");
        }
    }
}
