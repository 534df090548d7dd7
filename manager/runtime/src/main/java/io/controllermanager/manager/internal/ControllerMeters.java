package io.controllermanager.manager.internal;

import io.controllermanager.client.Registration;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * The state of each controller and of its shards, from a start of the host to its stop. A controller has one gauge for each
 * state, 1 for the one that it is in, as OpenMetrics has sets of states.
 */
final class ControllerMeters {

    private final HostLoop host;
    private final MeterRegistry registry;
    private final List<Meter> meters = new ArrayList<>();

    private ControllerMeters(HostLoop host, MeterRegistry registry) {
        this.host = host;
        this.registry = registry;
    }

    /** Registers the meters, until closed. */
    static Registration of(HostLoop host, MeterRegistry registry) {
        ControllerMeters all = new ControllerMeters(host, registry);
        host.controllers().forEach(all::register);
        return () -> all.meters.forEach(registry::remove);
    }

    private void register(HostedController controller) {
        String name = controller.name();
        for (ControllerState state : ControllerState.values()) {
            gauge(
                    "controller.state",
                    name,
                    state,
                    "Whether the controller is in this state.",
                    h -> h.controller(name).view().shownLife().state() == state ? 1 : 0);
        }
        if (controller.isDivided()) {
            for (ShardState state : ShardState.values()) {
                gauge(
                        "shards",
                        name,
                        state,
                        "Shards of the controller by what this process does with them.",
                        h -> shards(h, name)
                                .filter(shard -> shard.controller().view().stateOf(shard) == state)
                                .count());
            }
            meters.add(FunctionCounter.builder(
                            "controller.manager.shard.moves",
                            host,
                            h -> shards(h, name).mapToLong(ShardWork::moves).sum())
                    .description("How often this process has begun to work on a shard of the controller.")
                    .tag("controller", name)
                    .register(registry));
        }
    }

    /** As they are now: a controller that is started again has others. */
    private static Stream<ShardWork> shards(HostLoop host, String controller) {
        return host.controller(controller).shards().stream();
    }

    private void gauge(
            String what, String controller, Enum<?> state, String description, ToDoubleFunction<HostLoop> value) {
        meters.add(Gauge.builder("controller.manager." + what, host, value)
                .description(description)
                .tag("controller", controller)
                .tag("state", state.name().toLowerCase(Locale.ROOT))
                .register(registry));
    }
}
