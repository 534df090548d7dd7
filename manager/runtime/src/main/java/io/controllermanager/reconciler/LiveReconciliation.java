package io.controllermanager.reconciler;

import io.controllermanager.client.ResourceType;
import io.controllermanager.client.internal.Keys;
import io.controllermanager.controller.ControllerContext;
import io.controllermanager.informer.Selection;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Condition;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A reconcile by a running controller. */
final class LiveReconciliation<T extends KubernetesObject> implements Reconciliation<T> {

    private final ControllerContext context;
    private final ControllerDescription.Settings settings;
    private final Reading<T> reading;
    private final Applier<T> applier;
    private final StatusWriter<T> statusWriter;
    private final Warnings warnings;
    private final Warnings told;
    private final Set<String> applied = new HashSet<>();
    private final Map<String, StatusCondition> conditions = new LinkedHashMap<>();
    private T object;
    private @Nullable Object status;
    private boolean recovered;
    private boolean written;
    private boolean writesEarly;
    private boolean changed;
    private boolean warned;

    LiveReconciliation(
            ControllerContext context,
            ControllerDescription.Settings settings,
            Reading<T> reading,
            Applier<T> applier,
            StatusWriter<T> statusWriter,
            Warnings warnings,
            Warnings told,
            T object) {
        this.context = context;
        this.settings = settings;
        this.reading = reading;
        this.applier = applier;
        this.statusWriter = statusWriter;
        this.warnings = warnings;
        this.told = told;
        this.object = object;
    }

    T object() {
        return object;
    }

    /** From now on it is about a newer state of the object. */
    void goOnWith(T newer) {
        this.object = newer;
    }

    @Override
    public ControllerContext context() {
        return context;
    }

    @Override
    public <C extends KubernetesObject> C apply(C wanted) throws ApiException {
        // It is wanted also where this fails.
        applied.add(applier.key(object, wanted));
        return applier.apply(object, wanted, this::noteChange);
    }

    @Override
    public <C extends KubernetesObject> C create(C wanted) throws ApiException {
        // A former version of the controller may have applied it.
        applied.add(applier.key(object, wanted));
        return applier.create(object, wanted, this::noteChange);
    }

    @Override
    public <C extends KubernetesObject> @Nullable C child(ResourceType<C> type, String name) {
        return applier.child(object, type, name);
    }

    @Override
    public void pruneOthers() throws ApiException {
        if (!settings.prunes()) {
            throw new IllegalStateException("controller \"" + context.name()
                    + "\" must say prunes() in its description: it needs the right to delete what it owns");
        }
        applier.prune(object, applied, this::noteChange);
    }

    @Override
    public <R extends KubernetesObject> @Nullable R find(Selection<R> selection, String name) {
        return reading.find(object, selection, name);
    }

    @Override
    public List<T> find(Index<T> index, String value) {
        return reading.find(index, value);
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
        if (!settings.conditions()) {
            throw new IllegalStateException("controller \"" + context.name() + "\" cannot set the condition "
                    + condition.type() + ": the status of " + object.getClass().getName()
                    + " has no field \"conditions\"");
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
        if (settings.errorCondition()) {
            throw new IllegalStateException("controller \"" + context.name()
                    + "\" must say withoutErrorCondition() in its description to call writeStatus(): a failure after it"
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
        if (warnings.isNew(object, reason, message)) {
            context.events().warning(object, reason, message);
        }
    }

    /** Writes the status unless that has been done; whether the object has changed. */
    boolean write() throws ApiException {
        boolean silent = status == null && conditions.isEmpty();
        if (written || (silent && !(recovered && ErrorCondition.isOne(condition(ErrorCondition.TYPE))))) {
            return false;
        }
        try {
            written = statusWriter.write(object, status, List.copyOf(conditions.values()), recovered);
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

    /** Writes what is left to be written of a reconcile that has come to its end, and tells of a state that is a new one. */
    void end(Outcome outcome) throws ApiException {
        Outcome.Report report = outcome.report();
        if (report == null) {
            told.forget(Keys.of(object));
            takeFailureBack();
            write();
        } else if (writesEarly) {
            throw new IllegalStateException("controller \"" + context.name()
                    + "\" must not call writeStatus() and return an outcome that sets the condition Ready: the status is"
                    + " written once");
        } else if (!settings.conditions()) {
            write();
            tellOnce(report.condition(), report.warning());
        } else {
            StatusCondition now = report.condition();
            V1Condition before = condition(now.type());
            condition(now);
            if (write() && (before == null || !now.reason().equals(before.getReason()))) {
                tell(now, report.warning());
            }
        }
        applier.retain(object, applied);
        if (!warned) {
            warnings.forget(Keys.of(object));
        }
    }

    /** Tells of a failure; whether that says something new. */
    boolean fail(StatusCondition failure) throws ApiException {
        if (!settings.conditions()) {
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
        boolean news = told.isNew(object, condition.reason(), "");
        if (news) {
            tell(condition, warning);
        }
        return news;
    }

    /** Also that of a former version of the controller, where this one does not tell of failures. */
    private void takeFailureBack() {
        recovered = settings.conditions() && !conditions.containsKey(ErrorCondition.TYPE);
    }

    private void noteChange() {
        changed = true;
    }

    private void tell(StatusCondition condition, boolean warning) {
        if (warning) {
            context.events().warning(object, condition.reason(), condition.message());
        } else {
            context.events().normal(object, condition.reason(), condition.message());
        }
    }

    private void requireStatus() {
        if (!settings.status()) {
            throw new IllegalStateException("controller \"" + context.name() + "\" writes no status: "
                    + object.getClass().getName() + " has none of its own, or the description says so");
        }
    }
}
