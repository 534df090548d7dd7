package io.controllermanager.foo;

import io.controllermanager.client.ApiStatus;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.controller.TerminalException;
import io.controllermanager.reconciler.ControllerDescription;
import io.controllermanager.reconciler.NameTakenException;
import io.controllermanager.reconciler.ObjectReconciler;
import io.controllermanager.reconciler.Outcome;
import io.controllermanager.reconciler.Reconciles;
import io.controllermanager.reconciler.Reconciliation;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Deployment;
import java.time.Duration;

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
 *
 * <p>The Deployment is made and then scaled, as upstream does it, rather than applied: an apply would also take back what
 * others change in its template, and set the replicas to 1 once the Foo names none.
 */
@Reconciles(Foo.class)
final class FooReconciler implements ObjectReconciler<Foo> {

    static final String SYNCED = "Synced";
    static final String SYNCED_MESSAGE = "Foo synced successfully";
    static final String RESOURCE_EXISTS = "ErrResourceExists";

    /** Warning: the Foo names no Deployment. */
    static final String NAME_MISSING = "DeploymentNameMissing";

    /** Warning: the API server refuses the Deployment that the Foo asks for. */
    static final String INVALID_DEPLOYMENT = "InvalidDeployment";

    /** Warning: the API server refuses the Foo's status, since the installed CRD wants something else there. */
    static final String INVALID_STATUS = "InvalidStatus";

    /**
     * Many workers, since a reconcile is mostly a wait for the API server; retries at most 8 s apart, so that after an
     * outage of the API server all is well soon after its return.
     */
    private static final ControllerOptions OPTIONS =
            ControllerOptions.DEFAULTS.withWorkers(16).withBackoff(Duration.ofMillis(5), Duration.ofSeconds(8));

    @Override
    public void describe(ControllerDescription<Foo> d) {
        // A status that somebody else has changed is set back at once.
        d.when(event -> true)
                .owns(ResourceTypes.DEPLOYMENT)
                .adoptsNothing()
                .withoutErrorCondition()
                .options(OPTIONS);
    }

    @Override
    public Outcome reconcile(Foo foo, Reconciliation<Foo> r) throws ApiException {
        if (foo.deploymentName().isEmpty()) {
            r.warn(NAME_MISSING, "spec.deploymentName is empty: there is no Deployment to make");
            throw new TerminalException("spec.deploymentName is empty");
        }
        String ifInvalid = INVALID_DEPLOYMENT;
        try {
            V1Deployment present = r.create(DeploymentTemplate.forFoo(foo));
            boolean scales = isToScale(present, foo);
            V1Deployment deployment = scales ? scale(present, foo, r) : present;
            ifInvalid = INVALID_STATUS;
            r.status(new FooStatus(availableReplicas(deployment))).writeStatus();
            if (scales || r.changed()) {
                r.context().events().normal(foo, SYNCED, SYNCED_MESSAGE);
            }
            return Outcome.done();
        } catch (NameTakenException e) {
            String message = "Resource \"" + foo.deploymentName() + "\" already exists and is not managed by Foo";
            r.warn(RESOURCE_EXISTS, message);
            throw e.withMessage(message);
        } catch (ApiException e) {
            switch (e.getCode()) {
                case 404 -> {
                    // Foo, Deployment or namespace are going; where more than that follows, an event tells.
                    return Outcome.done();
                }
                case 400, 422 -> {
                    String told = ApiStatus.of(e).message();
                    String message = told.isEmpty() ? String.valueOf(e.getMessage()) : told;
                    r.warn(ifInvalid, message);
                    throw new TerminalException(message, e);
                }
                default -> throw e;
            }
        }
    }

    private static boolean isToScale(V1Deployment deployment, Foo foo) {
        return foo.replicas() != null
                && !foo.replicas().equals(deployment.getSpec().getReplicas())
                && deployment.getMetadata().getDeletionTimestamp() == null;
    }

    private static V1Deployment scale(V1Deployment deployment, Foo foo, Reconciliation<Foo> r) throws ApiException {
        // With the resourceVersion it is the Deployment that was looked at, its owner included, or a conflict.
        String patch = "{\"metadata\":{\"resourceVersion\":\"%s\"},\"spec\":{\"replicas\":%d}}"
                .formatted(deployment.getMetadata().getResourceVersion(), foo.replicas());
        return new ResourceClient<>(r.context().apiClient(), ResourceTypes.DEPLOYMENT)
                .patch(foo.namespace(), foo.deploymentName(), new Patch.Merge(patch));
    }

    private static int availableReplicas(V1Deployment deployment) {
        Integer available =
                deployment.getStatus() == null ? null : deployment.getStatus().getAvailableReplicas();
        return available == null ? 0 : available;
    }
}
