package io.controllermanager.reconciler;

import io.controllermanager.client.ApiStatus;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.internal.request.Keys;
import io.controllermanager.controller.ControllerContext;
import io.controllermanager.controller.Finalizer;
import io.controllermanager.controller.TerminalException;
import io.controllermanager.controller.internal.KeyMemories;
import io.controllermanager.external.internal.Externals;
import io.controllermanager.informer.Informer;
import io.controllermanager.informer.Selection;
import io.controllermanager.readiness.Readiness;
import io.controllermanager.reconciler.LiveReconciliation.Told;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.informer.cache.Lister;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns a key into an object, and what an {@link ObjectReconciler} does with it into a result. */
final class TypedReconciler<T extends KubernetesObject> implements Reconciler {

    private static final Logger log = LoggerFactory.getLogger(TypedReconciler.class);

    private static final Result DONE = new Result(false);
    private static final Result RETRY = new Result(true);

    /**
     * When to look again for a name that is taken by an object which no cache shows, such as one without the labels that the
     * cache selects by. Nobody tells of its end; one request in half a minute is no burden, and half a minute no long wait for
     * who has just deleted that object.
     */
    static final Duration NAME_RETRY = Duration.ofSeconds(30);

    final ControllerContext context;
    final ControllerDescription<T> description;

    /** Whether the status has conditions. Where it has not, Events alone tell of outcomes and failures. */
    final boolean conditions;

    final ResourceClient<T> client;

    final Applier<T> applier;

    /** Says which objects may be changed now, null if there is no budget. */
    final @Nullable BudgetGate<T> gate;

    final StatusWriter<T> statusWriter;
    final Externals externals;

    /** Of each object the warning that was recorded last. */
    final Map<Request, Told> warned;

    /** Of each object what an Event told last, where its status has no place for it or that is on its way. */
    final Map<Request, Told> told;

    final ProgressDeadline deadline;
    final KeyMemories memories;

    private final Set<Selection<?>> selections;
    private final Lister<T> own;
    private final ObjectReconciler<T> reconciler;
    private final @Nullable Finalizer<T> finalizer;
    private final FailureRuns failures;

    /**
     * Follows the caches that it reads.
     *
     * @param selections what the description names, that alone may be read
     */
    TypedReconciler(
            ObjectReconciler<T> reconciler,
            ControllerContext context,
            ControllerDescription<T> description,
            Set<Selection<?>> selections) {
        this.reconciler = reconciler;
        this.context = context;
        this.description = description;
        this.selections = selections;
        ResourceType<T> type = description.type;
        this.conditions = description.status && DeclaredClass.mayHaveConditions(type.objectClass());
        this.client = new ResourceClient<>(context.apiClient(), type);
        Informer<T> informer = context.informer(type);
        description.indexes.follow(informer);
        this.own = informer.lister();
        this.memories = KeyMemories.of(context);
        description.claims.keepIn(memories);
        Applier<T> polite =
                Applier.of(context, type, description.children.link().labels(), description.children.rules(), memories);
        this.applier = description.force ? polite.force() : polite;
        this.statusWriter = new StatusWriter<>(context.apiClient(), type, context.clock(), memories);
        this.externals = new Externals(description.externals, context, memories);
        this.failures = new FailureRuns(context.clock(), memories);
        this.deadline = new ProgressDeadline(description.progressDeadline, context.clock(), memories);
        this.warned = memories.part();
        this.told = memories.part();
        this.finalizer = description.needsFinalizer() ? Finalizer.named(description.finalizer, client) : null;
        this.gate = description.budget == null
                ? null
                : new BudgetGate<>(description.budget, context, description, memories);
        reconciler.start(context);
    }

    @Override
    public Result reconcile(Request request) {
        T object = own.get(Keys.shown(request));
        if (object == null) {
            memories.forget(request);
            return end(request);
        }
        LiveReconciliation<T> reconciliation = new LiveReconciliation<>(this, object);
        try {
            description.claims.remove(request);
            boolean goes = isToBeCleanedUp(object);
            Outcome outcome = goes ? cleanUp(reconciliation) : null;
            if (outcome == null || outcome.isFinished()) {
                if (!admit(reconciliation, goes)) {
                    failures.end(request);
                    leave(reconciliation, Outcome.done());
                    return DONE;
                }
                outcome = reconcile(reconciliation);
            }
            Outcome told = reconciliation.end(outcome);
            failures.end(request);
            leave(reconciliation, told);
            return told.toResult();
        } catch (NameTakenException e) {
            if (!report(reconciliation, e)) {
                throw e;
            }
            // Before the cache is read for the last time: a change after that brings the object in.
            claim(request, e);
            ChildClaim now = applier.claimOf(reconciliation.object(), e);
            if (now == ChildClaim.OURS || now == ChildClaim.ADOPTABLE) {
                return RETRY;
            }
            if (now != null) {
                throw new TerminalException(String.valueOf(e.getMessage()), e);
            }
            log.atInfo().log("{}: it is looked for again in {} s", e.getMessage(), NAME_RETRY.toSeconds());
            return new Result(true, NAME_RETRY);
        } catch (ApiException e) {
            if (endsWith(reconciliation, e)) {
                return DONE;
            }
            if (ErrorCondition.isConflict(e)) {
                log.atDebug().log("Something has changed meanwhile: {}", e.getMessage());
                report(reconciliation, e);
                return RETRY;
            }
            report(reconciliation, e);
            throw new IllegalStateException(e.getMessage(), e);
        } catch (RuntimeException e) {
            if (report(reconciliation, e)) {
                throw e;
            }
            // Without it as the cause, which may say that trying again is of no use.
            RuntimeException untold =
                    new IllegalStateException(e.getMessage() + " (the status could not be written either)");
            untold.addSuppressed(e);
            throw untold;
        }
    }

    private void leave(LiveReconciliation<T> reconciliation, Outcome outcome) throws ApiException {
        if (gate != null && !reconciliation.waiting) {
            gate.leave(reconciliation.object(), outcome.mayBeReady());
        }
    }

    /** Nothing is left to do for a key whose object is gone. */
    private Result end(Request request) {
        try {
            if (gate != null) {
                gate.release(request, null);
            }
            return DONE;
        } catch (ApiException e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
    }

    /** What an object names, from the shared caches; null if there is none. */
    <R extends KubernetesObject> @Nullable R find(T from, Selection<R> selection, String name) {
        if (!selections.contains(selection)) {
            throw new IllegalArgumentException(
                    "controller \"" + context.name() + "\" does not watch " + selection
                            + ": its description must name it to have it read; what it owns under common labels is read by child()");
        }
        return context.informer(selection).lister().get(ControllerDescription.key(from, name, selection.type()));
    }

    private boolean isToBeCleanedUp(T object) {
        V1ObjectMeta metadata = object.getMetadata();
        return finalizer != null
                && metadata.getDeletionTimestamp() != null
                && metadata.getFinalizers() != null
                && metadata.getFinalizers().contains(finalizer.name());
    }

    @SuppressWarnings("unchecked") // Of a reconciler's type parameters the description has the same.
    private Outcome cleanUp(LiveReconciliation<T> reconciliation) throws ApiException {
        T object = reconciliation.object();
        Outcome outcome = reconciler instanceof Cleaner<?>
                ? ((Cleaner<T>) reconciler).cleanup(object, reconciliation)
                : Outcome.done();
        if (outcome.isFinished() && !description.externals.isEmpty()) {
            Readiness left = reconciliation.externals.removeAll();
            outcome = left == null ? outcome : Outcome.of(left);
        }
        String child =
                outcome.isFinished() ? applier.noting(reconciliation).deletion().tearDown(object) : null;
        return child == null ? outcome : Outcome.progressing("TearingDown", child + " is being deleted");
    }

    /** An object whose child's name is held by one that has outlived another owner waits for whoever decides about that. */
    private Outcome reconcile(LiveReconciliation<T> reconciliation) throws ApiException {
        T object = reconciliation.object();
        try {
            return reconciler.reconcile(object, reconciliation);
        } catch (WaitsForSlotException e) {
            return reconciliation.waits(e);
        } catch (NameTakenException e) {
            claim(Keys.of(object), e);
            if (applier.claimOf(object, e) != ChildClaim.RETAINED) {
                throw e;
            }
            return Outcome.blocked("ChildRetained", String.valueOf(e.getMessage()));
        }
    }

    private void claim(Request request, NameTakenException e) {
        description.claims.add(request, e.type().type(), new Request(e.namespace(), e.name()));
    }

    /** Sees to the finalizer; returns whether there is something to reconcile. */
    private boolean admit(LiveReconciliation<T> reconciliation, boolean cleanedUp) throws ApiException {
        T object = reconciliation.object();
        if (finalizer == null) {
            return object.getMetadata().getDeletionTimestamp() == null;
        }
        T admitted = finalizer.admit(object, current -> {
            if (!cleanedUp) {
                // The cache is behind: it is cleaned up by the next try.
                throw new ApiException(409, "it is being deleted meanwhile");
            }
        });
        if (admitted == null) {
            return false;
        }
        reconciliation.goOnWith(admitted);
        return true;
    }

    /** Whether the object or its namespace is on its way out, so that there is nothing left to do. */
    private boolean endsWith(LiveReconciliation<T> reconciliation, ApiException e) {
        V1ObjectMeta metadata = reconciliation.object().getMetadata();
        boolean goes = metadata.getNamespace() != null
                && metadata.getDeletionTimestamp() == null
                && ApiStatus.of(e).hasCause("NamespaceTerminating");
        return goes || (e.getCode() == 404 && ApiStatus.of(e).isAbout(description.type, metadata.getName()));
    }

    /** Tells of a failure in the status, and in an Event where that says something new; whether it is told, or need not be. */
    private boolean report(LiveReconciliation<T> reconciliation, Exception failure) {
        if (!description.errorCondition) {
            return true;
        }
        try {
            boolean lasts = failures.lasts(reconciliation.object());
            StatusCondition condition = ErrorCondition.of(
                    failure,
                    reconciliation.condition(ErrorCondition.TYPE),
                    reconciliation.object().getMetadata().getGeneration(),
                    lasts);
            if (condition != null
                    && !Thread.currentThread().isInterrupted()
                    && failures.mayReport(reconciliation.object())
                    && reconciliation.fail(condition)) {
                failures.reported(reconciliation.object());
            }
            return true;
        } catch (ApiException | RuntimeException e) {
            failure.addSuppressed(e);
            return false;
        }
    }
}
