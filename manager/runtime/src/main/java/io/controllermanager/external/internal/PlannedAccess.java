package io.controllermanager.external.internal;

import io.controllermanager.client.internal.plan.Plan;
import io.controllermanager.controller.internal.KeyMemories;
import io.controllermanager.external.External;
import io.controllermanager.external.ExternalSystem.ById;
import io.controllermanager.time.Clock;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Only reads, in a dry run. What would be written counts as written, and is told in the plan. */
final class PlannedAccess<K, V> extends SystemAccess<K, V> {

    private final Plan plan;

    /** By thing, empty for one that would be gone; its value once it is read with what was written. */
    private final Map<K, Optional<V>> planned = new ConcurrentHashMap<>();

    PlannedAccess(External<K, V> external, Clock clock, KeyMemories memories, Plan plan) {
        super(external, clock, memories);
        this.plan = plan;
    }

    @Override
    Seen<V> read(Request owner, K id, @Nullable V written) {
        Optional<V> there = planned.get(id);
        if (there == null) {
            return super.read(owner, id, written);
        }
        V value = written == null ? there.orElse(null) : written;
        planned.put(id, Optional.ofNullable(value));
        return remember(owner, id, value, written);
    }

    @Override
    void write(Request owner, K id, String what, Write write) {
        forget(owner, id);
        planned.put(id, Optional.empty());
        tell(what, id.toString());
    }

    @Override
    String create(Request owner, ById<V> system, String token, V wanted) {
        String id = "planned-" + token;
        planned.put(external.keys().cast(id), Optional.of(wanted));
        tell("create", token);
        return id;
    }

    private void tell(String what, String id) {
        plan.outside(what + " " + external.name() + " " + id);
    }
}
