package io.controllermanager.foo;

import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.controller.ControllerContext;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.Finalizer;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.informer.cache.Lister;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A copy of the Foo controller on client-java's interfaces, with a bug if one is wanted. It does more than Foo: it keeps a
 * route in a load balancer, removes it by a finalizer, and removes a Deployment whose name is wanted no more. Foo alone has
 * no room for half of the bugs.
 */
final class FooCopy implements Reconciler {

    static final Duration CHECKED = Duration.ofMinutes(5);

    private static final Logger log = LoggerFactory.getLogger(FooCopy.class);
    private static final Result DONE = new Result(false);
    private static final String FINALIZER = "example.com/load-balancer";

    private final ControllerContext context;
    private final LoadBalancer balancer;
    private final Bug bug;
    private final Lister<Foo> foos;
    private final Lister<V1Deployment> deployments;
    private final ResourceClient<Foo> fooClient;
    private final ResourceClient<V1Deployment> deploymentClient;
    private final Finalizer<Foo> finalizer;
    private final Map<Request, String> made = new ConcurrentHashMap<>();
    private final AtomicInteger reports = new AtomicInteger();

    private FooCopy(ControllerContext context, LoadBalancer balancer, Bug bug) {
        this.context = context;
        this.balancer = balancer;
        this.bug = bug;
        foos = context.informer(Foo.TYPE).lister();
        deployments = context.informer(ResourceTypes.DEPLOYMENT).lister();
        fooClient = new ResourceClient<>(context.apiClient(), Foo.TYPE);
        deploymentClient = new ResourceClient<>(context.apiClient(), ResourceTypes.DEPLOYMENT);
        finalizer = Finalizer.named(FINALIZER, fooClient);
    }

    static ControllerDescriptor descriptor(LoadBalancer balancer, Bug bug) {
        var described = ControllerDescriptor.named("foo-copy").forType(Foo.TYPE);
        if (bug != Bug.FORGETS_TO_WATCH) {
            described = described.owns(ResourceTypes.DEPLOYMENT);
        }
        return described
                .reconcilerFactory(context -> new FooCopy(context, balancer, bug))
                .build();
    }

    @Override
    public Result reconcile(Request request) {
        Foo foo = foos.namespace(request.getNamespace()).get(request.getName());
        if (foo == null) {
            return DONE;
        }
        try {
            return reconcile(request, foo);
        } catch (ApiException e) {
            if (bug == Bug.SWALLOWS_ERRORS) {
                log.info("It did not work: {}", e.getMessage());
                return new Result(true, CHECKED);
            }
            throw new IllegalStateException(e.getMessage(), e);
        }
    }

    private Result reconcile(Request request, Foo foo) throws ApiException {
        if (bug == Bug.FINALIZER_REMOVED_TOO_EARLY && foo.getMetadata().getDeletionTimestamp() != null) {
            fooClient.patch(
                    request.getNamespace(), request.getName(), new Patch.Merge("{\"metadata\":{\"finalizers\":null}}"));
            balancer.routes().remove(request.getName());
            return DONE;
        }
        Foo admitted = finalizer.admit(foo, gone -> balancer.routes().remove(gone.name()));
        if (admitted == null) {
            return DONE;
        }
        balancer.routes().put(request.getName(), admitted.deploymentName());
        V1Deployment deployment = write(admitted);
        removeOthers(request, admitted);
        report(admitted, deployment);
        return bug == Bug.REQUEUE_LOST ? DONE : new Result(true, CHECKED);
    }

    private V1Deployment write(Foo foo) throws ApiException {
        V1Deployment present = deployments.namespace(foo.namespace()).get(foo.deploymentName());
        if (bug == Bug.CREATES_WITHOUT_ADOPTING && foo.status() == null) {
            present = null;
        }
        V1Deployment wanted = wanted(foo);
        if (present == null) {
            return deploymentClient.create(wanted);
        }
        if (Objects.equals(present.getSpec().getReplicas(), wanted.getSpec().getReplicas())) {
            return present;
        }
        if (bug != Bug.OVERWRITES_OTHERS) {
            wanted = deploymentClient.copy(present);
            wanted.getSpec().setReplicas(foo.replicas());
        }
        return deploymentClient.update(wanted);
    }

    private V1Deployment wanted(Foo foo) {
        V1Deployment wanted =
                DeploymentTemplate.forFoo(foo).apiVersion("apps/v1").kind("Deployment");
        if (bug != Bug.NO_OWNER) {
            wanted.getMetadata()
                    .addOwnerReferencesItem(new V1OwnerReference()
                            .apiVersion(Foo.TYPE.apiVersion())
                            .kind(Foo.TYPE.kind())
                            .name(foo.name())
                            .uid(foo.getMetadata().getUid())
                            .controller(true));
        }
        return wanted;
    }

    private void removeOthers(Request request, Foo foo) throws ApiException {
        String wanted = foo.deploymentName();
        if (bug == Bug.REMEMBERS_IN_MEMORY) {
            String before = made.put(request, wanted);
            if (before != null && !before.equals(wanted)) {
                deploymentClient.delete(foo.namespace(), before);
            }
            return;
        }
        if (bug == Bug.LEAVES_RENAMED_CHILD) {
            return;
        }
        for (V1Deployment other : deployments.namespace(foo.namespace()).list()) {
            if (isOwnedBy(other, foo) && !wanted.equals(other.getMetadata().getName())) {
                deploymentClient.delete(foo.namespace(), other.getMetadata().getName());
            }
        }
    }

    private static boolean isOwnedBy(V1Deployment deployment, Foo foo) {
        List<V1OwnerReference> owners = deployment.getMetadata().getOwnerReferences();
        return owners != null
                && owners.stream()
                        .anyMatch(
                                owner -> owner.getUid().equals(foo.getMetadata().getUid()));
    }

    private void report(Foo foo, V1Deployment deployment) throws ApiException {
        Integer available =
                deployment.getStatus() == null ? null : deployment.getStatus().getAvailableReplicas();
        FooStatus status = new FooStatus(
                bug == Bug.STATUS_IN_A_LOOP ? reports.incrementAndGet() : available == null ? 0 : available);
        if (!status.equals(foo.status())) {
            Foo changed = fooClient.copy(foo);
            changed.setStatus(status);
            fooClient.updateStatus(changed);
            context.events().normal(foo, FooReconciler.SYNCED, FooReconciler.SYNCED_MESSAGE);
        }
    }
}
