package io.controllermanager.external.internal;

import io.controllermanager.controller.ControllerContext;
import io.controllermanager.controller.internal.KeyMemories;
import io.controllermanager.external.External;
import io.controllermanager.external.ExternalResources;
import io.controllermanager.readiness.Readiness;
import io.kubernetes.client.openapi.ApiException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a controller keeps outside Kubernetes. Safe for use by several threads; what it {@link #of gives out} is not. */
public final class Externals {

    private final String controller;
    private final Map<External<?, ?>, SystemAccess<?, ?>> systems = new LinkedHashMap<>();

    /**
     * Of a controller.
     *
     * @throws IllegalArgumentException if two have one name
     */
    public Externals(List<External<?, ?>> externals, ControllerContext context, KeyMemories memories) {
        this.controller = context.name();
        for (External<?, ?> external : externals) {
            if (systems.keySet().stream().anyMatch(other -> other.name().equals(external.name()))) {
                throw new IllegalArgumentException(
                        "controller \"" + controller + "\" has two externals named \"" + external.name() + "\"");
            }
            systems.put(external, new SystemAccess<>(external, context.clock(), memories));
        }
    }

    /** The annotation in which a controller records what it has made for an object. */
    static String annotation(String controller) {
        return "external.controller-manager/" + controller;
    }

    /** The things of one object, in one reconcile. */
    public Session of(Owner owner) {
        return new Session(owner);
    }

    /** The things of one object, in one reconcile. */
    public final class Session {

        private final Owner owner;
        private final Map<External<?, ?>, ExternalResources<?, ?>> opened = new HashMap<>();

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
            return (ExternalResources<K, V>)
                    opened.computeIfAbsent(external, key -> new LiveResources<>(access, owner, annotation(controller)));
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
            owner.confirm(annotation(controller));
            return null;
        }
    }
}
