package io.controllermanager.manager.internal;

import io.controllermanager.client.Registration;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The state of each controller, from a start of the host to its stop: one gauge for each state, 1 for the one that it is in, as
 * OpenMetrics has sets of states.
 */
final class ControllerStateMeters {

    private ControllerStateMeters() {}

    /** Registers the meters, until closed. */
    static Registration of(HostLoop host, MeterRegistry registry) {
        List<Meter> meters = host.controllers().stream()
                .map(HostedController::name)
                .flatMap(name -> Stream.of(ControllerState.values()).map(state -> gauge(host, name, state, registry)))
                .toList();
        return () -> meters.forEach(registry::remove);
    }

    private static Meter gauge(HostLoop host, String name, ControllerState state, MeterRegistry registry) {
        return Gauge.builder("controller.manager.controller.state", host, h -> h.state(name) == state ? 1 : 0)
                .description("Whether the controller is in this state.")
                .tag("controller", name)
                .tag("state", state.name().toLowerCase(Locale.ROOT))
                .register(registry);
    }
}
