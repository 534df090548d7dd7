package io.controllermanager.controller;

import io.controllermanager.client.ResourceType;
import io.controllermanager.client.internal.request.Keys;
import io.controllermanager.event.EventChannel;
import io.controllermanager.event.EventPredicate;
import io.controllermanager.event.RequestMapper;
import io.controllermanager.event.RequestMappers;
import io.controllermanager.informer.Selection;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.models.V1PolicyRule;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a controller is: a name, the type it is for, the types it owns, what else it watches, how it reconciles, and its
 * options. A Spring application declares one as a bean; that alone makes neither informers nor threads.
 *
 * <pre>{@code
 * ControllerDescriptor.named("foo")
 *         .forType(FOO)
 *         .owns(DEPLOYMENT)
 *         .reconcilerFactory(context -> new FooReconciler(...))
 *         .build();
 * }</pre>
 *
 * @param name unique within the process: lower case letters, digits and dashes; it is in property names, flags and
 *     metrics
 * @param sources the types whose events bring keys into the queue, the one that the controller is for first
 * @param channels where events from outside Kubernetes come from
 * @param reconcilerFactory makes the reconciler once the controller starts
 * @param options how it runs unless properties say otherwise
 * @param enabledByDefault whether {@code *} in the list of controllers includes it
 * @param furtherRights what it may do besides reading the types of its sources, as far as it says so
 * @param hostRights what it may do in the host's namespace, wherever its objects live
 */
public record ControllerDescriptor(
        String name,
        List<EventSource<?>> sources,
        List<ChannelSource<?>> channels,
        ReconcilerFactory reconcilerFactory,
        ControllerOptions options,
        boolean enabledByDefault,
        List<V1PolicyRule> furtherRights,
        List<V1PolicyRule> hostRights) {

    private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9-]*[a-z0-9])?");

    public ControllerDescriptor {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "name must be lower case letters, digits and dashes, but is \"" + name + "\"");
        }
        sources = List.copyOf(sources);
        channels = List.copyOf(channels);
        furtherRights = List.copyOf(furtherRights);
        hostRights = List.copyOf(hostRights);
    }

    /**
     * Events from outside Kubernetes that bring keys into a controller's queue.
     *
     * @param <E> what an event is
     * @param channel where they come from
     * @param mapper which keys an event concerns; called on the sender's thread
     */
    public record ChannelSource<E>(EventChannel<E> channel, RequestMapper<E> mapper) {}

    /** One without channels. */
    public ControllerDescriptor(
            String name,
            List<EventSource<?>> sources,
            ReconcilerFactory reconcilerFactory,
            ControllerOptions options,
            boolean enabledByDefault) {
        this(name, sources, List.of(), reconcilerFactory, options, enabledByDefault, List.of(), List.of());
    }

    /** The types of the sources, each once, the one that the controller is for first. */
    public List<ResourceType<?>> types() {
        return sources.stream()
                .<ResourceType<?>>map(EventSource::type)
                .distinct()
                .toList();
    }

    /**
     * What the controller may do, as RBAC rules: list and watch the types of its sources, and what it says besides. What the
     * host does for each controller (Events, Leases) is not among it.
     */
    public List<V1PolicyRule> rights() {
        List<V1PolicyRule> rules = new ArrayList<>();
        types().forEach(type -> rules.add(PolicyRules.of(type, "list", "watch")));
        rules.addAll(furtherRights);
        return PolicyRules.merged(rules);
    }

    /**
     * Makes sure that an object of the type that the controller is for can have the key.
     *
     * @throws IllegalArgumentException if only one of the two has a namespace
     */
    public void checkKey(Request key) {
        for (EventSource<?> source : sources) {
            boolean namespaced = source.type().scope() == ResourceType.Scope.NAMESPACED;
            if (source.primary() && namespaced != (key.getNamespace() != null)) {
                throw new IllegalArgumentException("key must be %s, since %s %s, but is \"%s\""
                        .formatted(
                                namespaced ? "namespace/name" : "a name",
                                source.type(),
                                namespaced ? "is namespaced" : "has no namespace",
                                Keys.shown(key)));
            }
        }
    }

    /** Begins a description. */
    public static Builder named(String name) {
        return new Builder(name);
    }

    /** Collects the parts of a description. Not safe for use by several threads. */
    public static final class Builder {

        private final String name;
        private final List<EventSource<?>> sources = new ArrayList<>();
        private final List<ChannelSource<?>> channels = new ArrayList<>();
        private @Nullable ResourceType<?> primary;
        private @Nullable ReconcilerFactory reconcilerFactory;
        private ControllerOptions options = ControllerOptions.DEFAULTS;
        private boolean enabledByDefault = true;
        private final List<V1PolicyRule> furtherRights = new ArrayList<>();

        private Builder(String name) {
            this.name = name;
        }

        /** The type whose objects are reconciled: each of its events brings the object's own key. */
        public <T extends KubernetesObject> Builder forType(ResourceType<T> type) {
            return forType(type, event -> true);
        }

        /** As {@link #forType(ResourceType)}, for the events that the predicate lets through. */
        public <T extends KubernetesObject> Builder forType(ResourceType<T> type, EventPredicate<T> predicate) {
            return forType(Selection.of(type), predicate);
        }

        /**
         * As {@link #forType(ResourceType, EventPredicate)}, for some objects of the type, or a part of each. The reconciler
         * reads from the same informer if it asks its context for an equal selection.
         */
        public <T extends KubernetesObject> Builder forType(Selection<T> selection, EventPredicate<T> predicate) {
            ResourceType<T> type = selection.type();
            if (primary != null) {
                throw new IllegalStateException(
                        "controller \"" + name + "\" is for " + primary + " already, and cannot be for " + type);
            }
            primary = type;
            sources.add(
                    0, new EventSource<>(selection, RequestMappers.self(), predicate, EventSource.Relation.PRIMARY));
            return this;
        }

        /** A type whose objects the controller makes: an event brings the key of the object's controlling owner. */
        public <T extends KubernetesObject> Builder owns(ResourceType<T> type) {
            return owns(type, event -> true);
        }

        /** As {@link #owns(ResourceType)}, for the events that the predicate lets through. */
        public <T extends KubernetesObject> Builder owns(ResourceType<T> type, EventPredicate<T> predicate) {
            return owns(Selection.of(type), predicate);
        }

        /** As {@link #owns(ResourceType, EventPredicate)}, for some objects of the type, or a part of each. */
        public <T extends KubernetesObject> Builder owns(Selection<T> selection, EventPredicate<T> predicate) {
            ResourceType<?> owner = primary;
            if (owner == null) {
                throw new IllegalStateException(
                        "controller \"" + name + "\": forType must be called before owns(" + selection + ")");
            }
            sources.add(new EventSource<>(
                    selection, RequestMappers.controllingOwner(owner), predicate, EventSource.Relation.OWNED));
            return this;
        }

        /** Any other type, with a function that says which keys its objects concern. */
        public <T extends KubernetesObject> Builder watches(ResourceType<T> type, RequestMapper<T> mapper) {
            return watches(type, mapper, event -> true);
        }

        /** As {@link #watches(ResourceType, RequestMapper)}, for the events that the predicate lets through. */
        public <T extends KubernetesObject> Builder watches(
                ResourceType<T> type, RequestMapper<T> mapper, EventPredicate<T> predicate) {
            return watches(Selection.of(type), mapper, predicate);
        }

        /** As {@link #watches(ResourceType, RequestMapper, EventPredicate)}, for some objects, or a part of each. */
        public <T extends KubernetesObject> Builder watches(
                Selection<T> selection, RequestMapper<T> mapper, EventPredicate<T> predicate) {
            sources.add(new EventSource<>(selection, mapper, predicate));
            return this;
        }

        /** Events from outside Kubernetes, with a function that says which keys each concerns. */
        public <E> Builder source(EventChannel<E> channel, RequestMapper<E> mapper) {
            channels.add(new ChannelSource<>(channel, mapper));
            return this;
        }

        /** How the reconciler is made once the controller starts. */
        public Builder reconcilerFactory(ReconcilerFactory factory) {
            this.reconcilerFactory = factory;
            return this;
        }

        /** A reconciler that exists already. */
        public Builder reconciler(Reconciler reconciler) {
            return reconcilerFactory(context -> reconciler);
        }

        /** How the controller runs unless properties say otherwise. */
        public Builder options(ControllerOptions newOptions) {
            this.options = newOptions;
            return this;
        }

        /** Whether {@code *} in the list of controllers includes it; it does unless said otherwise. */
        public Builder enabledByDefault(boolean newEnabledByDefault) {
            this.enabledByDefault = newEnabledByDefault;
            return this;
        }

        /** What the controller may do besides reading its types; see {@link PolicyRules}. */
        public Builder rights(V1PolicyRule... rules) {
            furtherRights.addAll(List.of(rules));
            return this;
        }

        /**
         * Checks and completes the description.
         *
         * @throws IllegalStateException if no reconciler, or neither a type nor a channel has been given
         */
        public ControllerDescriptor build() {
            ReconcilerFactory factory = reconcilerFactory;
            if (factory == null) {
                throw new IllegalStateException("controller \"" + name + "\" has no reconciler");
            }
            if (sources.isEmpty() && channels.isEmpty()) {
                throw new IllegalStateException("controller \"" + name + "\" watches no type and no channel");
            }
            return new ControllerDescriptor(
                    name, sources, channels, factory, options, enabledByDefault, furtherRights, List.of());
        }
    }
}
