package io.controllermanager.manager;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The state of each controller of a run: one gauge for each state, 1 for the one that it is in, as OpenMetrics has sets of
 * states. Read when it is scraped.
 */
final class ControllerStateMeters implements AutoCloseable {

    private final MeterRegistry registry;
    private final List<Meter> meters;

    ControllerStateMeters(MeterRegistry registry, HostLoop host) {
        this.registry = registry;
        this.meters = host.controllers().stream()
                .map(HostedController::name)
                .flatMap(name -> Stream.of(ControllerState.values()).map(state -> gauge(host, name, state)))
                .toList();
    }

    private Meter gauge(HostLoop host, String name, ControllerState state) {
        return Gauge.builder("controller.manager.controller.state", host, h -> h.state(name) == state ? 1 : 0)
                .description("Whether the controller is in this state.")
                .tag("controller", name)
                .tag("state", state.name().toLowerCase(Locale.ROOT))
                .register(registry);
    }

    /** Takes the meters out of the registry. */
    @Override
    public void close() {
        meters.forEach(registry::remove);
    }
}
