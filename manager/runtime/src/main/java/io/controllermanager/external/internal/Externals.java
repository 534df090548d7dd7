package io.controllermanager.external.internal;

import com.google.gson.JsonElement;
import io.controllermanager.client.internal.plan.Plan;
import io.controllermanager.controller.ControllerContext;
import io.controllermanager.controller.internal.KeyMemories;
import io.controllermanager.controller.internal.PlanOwner;
import io.controllermanager.external.External;
import io.controllermanager.external.ExternalResources;
import io.controllermanager.external.internal.Ledger.Entry;
import io.controllermanager.readiness.Readiness;
import io.kubernetes.client.openapi.ApiException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a controller keeps outside Kubernetes. Safe for use by several threads; what it {@link #of gives out} is not. */
public final class Externals {

    private final String controller;
    private final String annotation;
    private final Map<External<?, ?>, SystemAccess<?, ?>> systems = new LinkedHashMap<>();

    /**
     * Of a controller.
     *
     * @throws IllegalArgumentException if two have one name
     */
    public Externals(List<External<?, ?>> externals, ControllerContext context, KeyMemories memories) {
        this.controller = context.name();
        this.annotation = "external.controller-manager/" + controller;
        for (External<?, ?> external : externals) {
            if (systems.keySet().stream().anyMatch(other -> other.name().equals(external.name()))) {
                throw new IllegalArgumentException(
                        "controller \"" + controller + "\" has two externals named \"" + external.name() + "\"");
            }
            systems.put(external, access(external, context, memories));
        }
    }

    private static <K, V> SystemAccess<K, V> access(
            External<K, V> external, ControllerContext context, KeyMemories memories) {
        Plan plan = PlanOwner.of(context);
        return plan == null
                ? new SystemAccess<>(external, context.clock(), memories)
                : new PlannedAccess<>(external, context.clock(), memories, plan);
    }

    /** The things of one object, in one reconcile. */
    public Session of(Owner owner) {
        return new Session(owner);
    }

    /** The things of one object, in one reconcile. */
    public final class Session {

        final Owner owner;
        private final Map<External<?, ?>, ExternalResources<?, ?>> opened = new HashMap<>();
        private @Nullable String text;
        private @Nullable Ledger read;

        private Session(Owner owner) {
            this.owner = owner;
        }

        /**
         * Those of one kind.
         *
         * @throws IllegalArgumentException if the controller's description does not name it
         */
        @SuppressWarnings("unchecked") // An external has the access that was made of it.
        public <K, V> ExternalResources<K, V> resources(External<K, V> external) {
            SystemAccess<K, V> access = (SystemAccess<K, V>) systems.get(external);
            if (access == null) {
                throw new IllegalArgumentException("controller \"" + controller + "\" must name the external \""
                        + external.name() + "\" in its description");
            }
            return (ExternalResources<K, V>) opened.computeIfAbsent(external, key -> new LiveResources<>(access, this));
        }

        /** What is recorded; read once, until the annotation is another one. */
        Ledger ledger() {
            String now = owner.annotation(annotation);
            Ledger ledger = read;
            if (ledger == null || !Objects.equals(text, now)) {
                ledger = Ledger.read(now, owner.identity());
                read = ledger;
                text = now;
            }
            return ledger;
        }

        /** Records a thing that is about to be made. */
        void record(String external, JsonElement key, Entry entry) throws ApiException {
            owner.annotate(annotation, ledger().with(external, key, entry).text());
        }

        /** Records what has become of a thing, null where it is gone. */
        void note(String external, JsonElement key, @Nullable Entry entry) throws ApiException {
            owner.note(annotation, ledger().with(external, key, entry).text());
        }

        /**
         * Removes all that is recorded on the object, what the description names last first.
         *
         * @return what is not gone yet, null once nothing is left
         * @throws ApiException 409 if the cache is behind, which may not show yet what there is
         */
        public @Nullable Readiness removeAll() throws ApiException {
            List<External<?, ?>> last = new ArrayList<>(systems.keySet());
            Collections.reverse(last);
            for (External<?, ?> external : last) {
                Readiness gone = resources(external).remove();
                if (!gone.isReady()) {
                    return gone;
                }
            }
            owner.confirm(annotation);
            return null;
        }
    }
}
