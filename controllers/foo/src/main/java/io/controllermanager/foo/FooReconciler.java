package io.controllermanager.foo;

import com.google.gson.JsonObject;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.controller.TerminalException;
import io.controllermanager.reconciler.StatusWriter;
import io.controllermanager.recorder.EventRecorder;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.informer.cache.Lister;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Deployment;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sees to it that a Foo's Deployment is there, has the wanted replicas, and that the Foo's status tells how many are
 * available.
 *
 * <p>What it does is what sample-controller's {@code syncHandler} does, down to names, labels, Events and their
 * messages; like that, it leaves a Deployment behind when the Foo's {@code deploymentName} changes. On purpose it differs
 * in this:
 *
 * <ul>
 *   <li>A Foo that needs no change causes no write, Events included; {@code Synced} tells that something was changed.
 *   <li>An empty or impossible name gets a Warning Event, once, and is not tried again before the Foo changes.
 *   <li>A name that another owner holds is reported once, and tried again when that owner lets go of it.
 *   <li>A Deployment found only at the API server, since the local copy is behind, is taken for what it is: no false
 *       {@code ErrResourceExists}.
 *   <li>Only the replicas of a Deployment are written, and only if it has not changed since it was looked at; what
 *       others set in it stays.
 *   <li>For a Foo that is being deleted, or whose namespace is, nothing is made.
 * </ul>
 */
final class FooReconciler implements Reconciler {

    static final String SYNCED = "Synced";
    static final String SYNCED_MESSAGE = "Foo synced successfully";
    static final String RESOURCE_EXISTS = "ErrResourceExists";

    /** Warning: the Foo names no Deployment. */
    static final String NAME_MISSING = "DeploymentNameMissing";

    /** Warning: the API server refuses the Deployment that the Foo asks for. */
    static final String INVALID_DEPLOYMENT = "InvalidDeployment";

    /** Warning: the API server refuses the Foo's status, since the installed CRD wants something else there. */
    static final String INVALID_STATUS = "InvalidStatus";

    private static final Logger log = LoggerFactory.getLogger(FooReconciler.class);

    private static final Result DONE = new Result(false);
    private static final Result AGAIN = new Result(true);
    private static final int LONGEST_NOTE = 1000;

    private final Lister<Foo> foos;
    private final Lister<V1Deployment> deployments;
    private final ResourceClient<V1Deployment> client;
    private final StatusWriter<Foo> statusWriter;
    private final WaitingFoos waiting;
    private final EventRecorder events;
    private final Map<Request, Report> reports = new ConcurrentHashMap<>();

    /** What a Warning has been recorded about, so that it is recorded once. */
    private record Report(@Nullable String uid, String reason, String message) {}

    FooReconciler(
            Lister<Foo> foos,
            Lister<V1Deployment> deployments,
            ResourceClient<V1Deployment> client,
            StatusWriter<Foo> statusWriter,
            WaitingFoos waiting,
            EventRecorder events) {
        this.foos = foos;
        this.deployments = deployments;
        this.client = client;
        this.statusWriter = statusWriter;
        this.waiting = waiting;
        this.events = events;
    }

    @Override
    public Result reconcile(Request request) {
        Foo foo = foos.namespace(request.getNamespace()).get(request.getName());
        if (foo == null || foo.metadata().getDeletionTimestamp() != null) {
            // What a Foo owns goes with it; making it anew would only keep the garbage collector busy.
            forget(request);
            return DONE;
        }
        if (foo.deploymentName().isEmpty()) {
            waiting.remove(request);
            report(request, foo, NAME_MISSING, "spec.deploymentName is empty: there is no Deployment to make");
            throw new TerminalException("spec.deploymentName is empty");
        }
        try {
            return sync(request, foo);
        } catch (ApiException e) {
            return handle(request, foo, INVALID_DEPLOYMENT, e);
        }
    }

    private Result sync(Request request, Foo foo) throws ApiException {
        V1Deployment deployment = cached(foo);
        boolean created = false;
        if (deployment == null) {
            try {
                deployment = client.create(DeploymentTemplate.forFoo(foo));
                created = true;
            } catch (ApiException e) {
                if (Refusal.of(e).cause() != Refusal.Cause.ALREADY_EXISTS) {
                    throw e;
                }
                deployment = client.get(foo.metadata().getNamespace(), foo.deploymentName());
                if (deployment == null) {
                    return AGAIN;
                }
                if (!Ownership.isControlledBy(deployment, foo)) {
                    // The local copy may never hear of it: come back until it has, or until the name is free.
                    waiting.remove(request);
                    report(request, foo, RESOURCE_EXISTS, resourceExists(foo));
                    return AGAIN;
                }
            }
        } else if (!Ownership.isControlledBy(deployment, foo)) {
            return waitForName(request, foo);
        }
        waiting.remove(request);
        return adjust(request, foo, deployment, created);
    }

    private Result adjust(Request request, Foo foo, V1Deployment deployment, boolean created) throws ApiException {
        V1Deployment current = deployment;
        boolean changed = created;
        Integer wanted = foo.replicas();
        boolean going = deployment.getMetadata().getDeletionTimestamp() != null;
        if (wanted != null && !wanted.equals(deployment.getSpec().getReplicas()) && !going) {
            current = scale(deployment, wanted);
            changed = true;
        }
        try {
            changed |= statusWriter.write(foo, new FooStatus(availableReplicas(current)));
        } catch (ApiException e) {
            return handle(request, foo, INVALID_STATUS, e);
        }
        reports.remove(request);
        if (changed) {
            events.normal(foo, SYNCED, SYNCED_MESSAGE);
        }
        return DONE;
    }

    private V1Deployment scale(V1Deployment deployment, int replicas) throws ApiException {
        // With the resourceVersion it is the Deployment that was looked at, its owner included, or a conflict.
        JsonObject metadata = new JsonObject();
        metadata.addProperty("resourceVersion", deployment.getMetadata().getResourceVersion());
        JsonObject spec = new JsonObject();
        spec.addProperty("replicas", replicas);
        JsonObject patch = new JsonObject();
        patch.add("metadata", metadata);
        patch.add("spec", spec);
        return client.patch(
                deployment.getMetadata().getNamespace(),
                deployment.getMetadata().getName(),
                new Patch.Merge(patch.toString()));
    }

    private static int availableReplicas(V1Deployment deployment) {
        if (deployment.getStatus() == null) {
            return 0;
        }
        Integer available = deployment.getStatus().getAvailableReplicas();
        return available == null ? 0 : available;
    }

    /** Another owner holds the Deployment: says so and leaves it, until that changes. */
    private Result waitForName(Request request, Foo foo) {
        waiting.add(request, foo.deploymentName());
        V1Deployment current = cached(foo);
        if (current == null || Ownership.isControlledBy(current, foo)) {
            // It changed just before this Foo began to wait.
            return AGAIN;
        }
        report(request, foo, RESOURCE_EXISTS, resourceExists(foo));
        throw new TerminalException(resourceExists(foo));
    }

    private static String resourceExists(Foo foo) {
        return "Resource \"" + foo.deploymentName() + "\" already exists and is not managed by Foo";
    }

    private @Nullable V1Deployment cached(Foo foo) {
        return deployments.namespace(foo.metadata().getNamespace()).get(foo.deploymentName());
    }

    private Result handle(Request request, Foo foo, String reasonIfInvalid, ApiException exception) {
        Refusal refusal = Refusal.of(exception);
        switch (refusal.cause()) {
            case NOT_FOUND, NAMESPACE_TERMINATING -> {
                // Foo, Deployment or namespace are going; where more than that follows, an event tells.
                log.atDebug().addKeyValue("answer", refusal.message()).log("Something went while it was reconciled");
                return DONE;
            }
            case CONFLICT, ALREADY_EXISTS -> {
                log.atDebug().addKeyValue("answer", refusal.message()).log("Something changed while it was reconciled");
                return AGAIN;
            }
            case INVALID -> {
                report(request, foo, reasonIfInvalid, refusal.message());
                throw new TerminalException(refusal.message(), exception);
            }
            case OTHER -> throw new IllegalStateException(exception.getMessage(), exception);
        }
        throw new AssertionError(refusal);
    }

    /** Records a Warning, unless the same was recorded before and nothing else came in between. */
    private void report(Request request, Foo foo, String reason, String message) {
        Report report = new Report(foo.metadata().getUid(), reason, message);
        if (!report.equals(reports.put(request, report))) {
            events.warning(
                    foo, reason, message.length() <= LONGEST_NOTE ? message : message.substring(0, LONGEST_NOTE));
        }
    }

    private void forget(Request request) {
        waiting.remove(request);
        reports.remove(request);
        statusWriter.forget(request);
    }
}
