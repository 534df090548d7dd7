package io.controllermanager.manager.internal;

import io.controllermanager.client.Registration;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** How the shards of divided controllers are, from a start of the host to its stop. */
final class ShardMeters {

    private ShardMeters() {}

    /** Registers the meters, until closed. */
    static Registration of(HostLoop host, MeterRegistry registry) {
        List<Meter> meters = new ArrayList<>();
        for (HostedController controller : host.controllers()) {
            if (!controller.shards().isEmpty()) {
                String name = controller.name();
                for (ShardState state : ShardState.values()) {
                    meters.add(Gauge.builder("controller.manager.shards", host, h -> count(h, name, state))
                            .description("Shards of the controller by what this process does with them.")
                            .tag("controller", name)
                            .tag("state", state.name().toLowerCase(Locale.ROOT))
                            .register(registry));
                }
                meters.add(FunctionCounter.builder("controller.manager.shard.moves", host, h -> moves(h, name))
                        .description("How often this process has begun to work on a shard of the controller.")
                        .tag("controller", name)
                        .register(registry));
            }
        }
        return () -> meters.forEach(registry::remove);
    }

    private static long count(HostLoop host, String controller, ShardState state) {
        return host.shards(controller).stream()
                .filter(shard -> shard.view().state() == state)
                .count();
    }

    private static long moves(HostLoop host, String controller) {
        return host.shards(controller).stream().mapToLong(ShardWork::moves).sum();
    }
}
