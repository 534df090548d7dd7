package io.controllermanager.foo;

import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.controller.ControllerContext;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.reconciler.StatusWriter;
import java.time.Duration;

/** Describes the Foo controller to its host. */
public final class FooController {

    /** The controller's name, as in {@code --controllers=-foo}. */
    public static final String NAME = "foo";

    /**
     * Many workers, since a reconcile is mostly a wait for the API server; retries at most 8 s apart, so that after an
     * outage of the API server all is well soon after its return.
     */
    private static final ControllerOptions OPTIONS =
            ControllerOptions.DEFAULTS.withWorkers(16).withBackoff(Duration.ofMillis(5), Duration.ofSeconds(8));

    private FooController() {}

    /**
     * The controller's description. Each call describes another one, with its own memory of Foos that wait for a name: a
     * description serves one host.
     */
    public static ControllerDescriptor descriptor() {
        WaitingFoos waiting = new WaitingFoos();
        return ControllerDescriptor.named(NAME)
                .forType(Foo.TYPE)
                .owns(ResourceTypes.DEPLOYMENT)
                .watches(ResourceTypes.DEPLOYMENT, waiting, Ownership::mayHaveChanged)
                .reconcilerFactory(context -> reconciler(context, waiting))
                .options(OPTIONS)
                .build();
    }

    private static FooReconciler reconciler(ControllerContext context, WaitingFoos waiting) {
        return new FooReconciler(
                context.informer(Foo.TYPE).lister(),
                context.informer(ResourceTypes.DEPLOYMENT).lister(),
                new ResourceClient<>(context.apiClient(), ResourceTypes.DEPLOYMENT),
                StatusWriter.of(context, Foo.TYPE),
                waiting,
                context.events());
    }
}
