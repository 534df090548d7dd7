package io.controllermanager.spring.actuate.endpoint;

import io.controllermanager.manager.ControllerStatus;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/** How each controller is, those that are switched off included. */
@Endpoint(id = "controllers", defaultAccess = Access.READ_ONLY)
public class ControllersEndpoint {

    private final Supplier<List<ControllerStatus>> controllers;

    /** With where the controllers' state is asked for. */
    public ControllersEndpoint(Supplier<List<ControllerStatus>> controllers) {
        this.controllers = controllers;
    }

    /** All controllers. */
    @ReadOperation
    public ControllersDescriptor controllers() {
        return new ControllersDescriptor(controllers.get());
    }

    /** One controller, null if there is none of that name. */
    @ReadOperation
    public @Nullable ControllerStatus controller(@Selector String name) {
        return controllers.get().stream()
                .filter(controller -> controller.name().equals(name))
                .findFirst()
                .orElse(null);
    }

    /**
     * What the endpoint returns.
     *
     * @param controllers all controllers, by name
     */
    public record ControllersDescriptor(List<ControllerStatus> controllers) {}
}
