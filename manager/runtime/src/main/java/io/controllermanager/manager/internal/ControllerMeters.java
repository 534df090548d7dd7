package io.controllermanager.manager.internal;

import io.controllermanager.client.Registration;
import io.controllermanager.client.internal.request.Meters;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The state of each controller and of its shards, from a start of the host to its stop. A controller has one gauge for each
 * state, 1 for the one that it is in, as OpenMetrics has sets of states.
 */
final class ControllerMeters {

    private ControllerMeters() {}

    /** Registers the meters, until closed. */
    static Registration of(HostLoop host, MeterRegistry registry) {
        List<Meters> all = host.controllers().stream()
                .map(controller -> of(host, controller, new Meters(registry, Tags.of("controller", controller.name()))))
                .toList();
        return () -> all.forEach(Meters::close);
    }

    private static Meters of(HostLoop host, HostedController controller, Meters meters) {
        String name = controller.name();
        for (ControllerState state : ControllerState.values()) {
            meters.gauge(
                    "controller.manager.controller.state",
                    "Whether the controller is in this state.",
                    host,
                    h -> h.controller(name).view().shownLife().state() == state ? 1 : 0,
                    "state",
                    label(state));
        }
        if (controller.isDivided()) {
            for (ShardState state : ShardState.values()) {
                meters.gauge(
                        "controller.manager.shards",
                        "Shards of the controller by what this process does with them.",
                        host,
                        h -> shards(h, name)
                                .filter(shard -> shard.controller().view().stateOf(shard) == state)
                                .count(),
                        "state",
                        label(state));
            }
            meters.counter(
                    "controller.manager.shard.moves",
                    "How often this process has begun to work on a shard of the controller.",
                    host,
                    h -> shards(h, name).mapToLong(ShardWork::moves).sum());
        }
        return meters;
    }

    /** As they are now: a controller that is started again has others. */
    private static Stream<ShardWork> shards(HostLoop host, String controller) {
        return host.controller(controller).shards().stream();
    }

    private static String label(Enum<?> state) {
        return state.name().toLowerCase(Locale.ROOT);
    }
}
