package io.controllermanager.network;

import io.controllermanager.client.ResourceClient;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.event.ResourceEvent;
import java.time.Duration;
import java.util.Objects;

/** Describes the Network controller to its host. */
public final class NetworkController {

    /** The controller's name, as in {@code --controllers=-network}. */
    public static final String NAME = "network";

    /**
     * Several workers, since a reconcile is mostly a wait for the API server; retries at most 8 s apart, so that after an
     * outage of the API server all is well soon after its return.
     */
    private static final ControllerOptions OPTIONS =
            ControllerOptions.DEFAULTS.withWorkers(8).withBackoff(Duration.ofMillis(5), Duration.ofSeconds(8));

    private NetworkController() {}

    /**
     * The controller's description. Each call describes another one, with its own memory of ranges: a description serves
     * one host.
     */
    public static ControllerDescriptor descriptor() {
        NetworkOverlaps overlaps = new NetworkOverlaps();
        return ControllerDescriptor.named(NAME)
                .forType(Network.TYPE)
                .watches(Network.TYPE, overlaps, NetworkController::rangeMayHaveChanged)
                .reconcilerFactory(context -> new NetworkReconciler(
                        context.informer(Network.TYPE).lister(),
                        new ResourceClient<>(context.apiClient(), Network.TYPE),
                        overlaps,
                        context.events(),
                        context.clock()))
                .options(OPTIONS)
                .build();
    }

    /** Not so for the status that the controller writes itself, nor for a resync. */
    private static boolean rangeMayHaveChanged(ResourceEvent<Network> event) {
        return !(event instanceof ResourceEvent.Updated<Network> updated)
                || !Objects.equals(updated.before().spec(), updated.object().spec());
    }
}
