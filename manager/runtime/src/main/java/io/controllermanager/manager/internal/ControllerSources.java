package io.controllermanager.manager.internal;

import io.controllermanager.client.Registration;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.internal.plan.Plan;
import io.controllermanager.client.internal.request.Keys;
import io.controllermanager.client.internal.request.ResourcePath;
import io.controllermanager.controller.ControllerContext;
import io.controllermanager.controller.ControllerDescriptor.ChannelSource;
import io.controllermanager.controller.EventSource;
import io.controllermanager.controller.internal.Controller;
import io.controllermanager.controller.internal.KeyMemories;
import io.controllermanager.controller.internal.PlanOwner;
import io.controllermanager.controller.internal.Shard;
import io.controllermanager.event.ResourceEvent;
import io.controllermanager.informer.Selection;
import io.controllermanager.informer.internal.HostInformer;
import io.controllermanager.informer.internal.delivery.EventSubscriber;
import io.controllermanager.informer.internal.delivery.Subscription;
import io.controllermanager.informer.internal.partition.ShardedSelection;
import io.controllermanager.informer.internal.store.Waiters;
import io.controllermanager.recorder.EventRecorder;
import io.controllermanager.time.Clock;
import io.controllermanager.workqueue.internal.Cause;
import io.controllermanager.workqueue.internal.Causes;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.ApiClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a controller reads from, and what brings keys into its queue if the host's workers call its reconciler; the reconciler is
 * made with this.
 */
final class ControllerSources implements ControllerContext, KeyMemories.Owner, PlanOwner {

    private final ControllerRegistration registration;
    private final HostParts parts;
    private final HostLoop loop;
    private final Map<Selection<?>, HostInformer<?>> informers = new ConcurrentHashMap<>();
    private final KeyMemories memories = new KeyMemories();

    /** What is waited for at the start; those that hold shards hold none then. */
    private final List<Function<Runnable, Registration>> filled = new CopyOnWriteArrayList<>();

    private final List<Registration> feeds = new CopyOnWriteArrayList<>();

    /** Each has everything looked at that a source holds of some shards, behind live changes. */
    private final List<Consumer<IntPredicate>> replays = new CopyOnWriteArrayList<>();

    /** Those that hold a shard for this; used by the loop's thread, but for reads. */
    private final Map<Integer, List<HostInformer<?>>> holding = new ConcurrentHashMap<>();

    /** What it is for, once this is prepared; null if it is for no type. */
    private volatile @Nullable HostInformer<?> primary;

    /** Namespaces whose keys are not worked on, since something in them may not be read. */
    private final Set<String> withheld = ConcurrentHashMap.newKeySet();

    private final Requeue requeue;

    ControllerSources(ControllerRegistration registration, HostParts parts, HostLoop loop) {
        this.registration = registration;
        this.parts = parts;
        this.loop = loop;
        this.requeue = new Requeue(registration.name(), replays, loop);
    }

    /** Has everything bring keys into the controller's queue. */
    void feed(Controller made) {
        registration.descriptor().sources().forEach(source -> subscribe(made, source));
        for (ChannelSource<?> channel : registration.descriptor().channels()) {
            feeds.add(made.subscribe(channel));
        }
        Causes live = Causes.of(Cause.Kind.CHANNEL);
        feeds.add(registration
                .adapter()
                .feed(
                        key -> parts.cluster().holds(key.getNamespace(), key.getName()),
                        (key, priority) -> made.enqueue(key, priority, live)));
        Causes start = Causes.of(Cause.Kind.START);
        replays.add(
                shards -> registration.adapter().replay((key, priority) -> made.enqueue(key, priority, start, shards)));
    }

    private <T extends KubernetesObject> void subscribe(Controller made, EventSource<T> source) {
        HostInformer<T> informer = informer(source.selection());
        if (source.primary()) {
            primary = informer;
            walk(made, source, informer);
        }
        Subscription subscription = informer.subscribe(registration.name(), made.subscriberFor(source), Duration.ZERO);
        feeds.add(subscription::close);
        if (informer.isHeldWhole()) {
            filled.add(subscription::whenSynced);
            replays.add(shards -> replay(informer.getIndexer().list(), made.subscriberFor(source, shards)));
        } else {
            replays.add(shards -> IntStream.range(0, made.shards().size())
                    .filter(shards)
                    .forEach(shard ->
                            replay(informer.list(shard), made.subscriberFor(source, other -> other == shard))));
        }
    }

    /** Has each object looked at once more now and then, where this process works on it. */
    private <T extends KubernetesObject> void walk(Controller made, EventSource<T> source, HostInformer<T> informer) {
        Duration interval = registration.options().maxInterval();
        if (interval != null) {
            EventSubscriber<T> subscriber = made.walkerFor(source);
            feeds.add(new SlowWalk(
                    interval,
                    parts.clock(),
                    parts.timer(),
                    () -> made.shards().stream().anyMatch(Shard::isOpen) ? informer.keys() : Set.of(),
                    due -> HostLoop.background(
                            "controller-manager-walk-" + registration.name(),
                            () -> replay(
                                    due.stream()
                                            .map(informer.getIndexer()::getByKey)
                                            .filter(Objects::nonNull)
                                            .toList(),
                                    subscriber))));
        }
    }

    private static <T extends KubernetesObject> void replay(List<T> objects, EventSubscriber<T> subscriber) {
        objects.forEach(object -> subscriber.onEvent(new ResourceEvent.Created<>(object, true)));
    }

    /** Closes something together with this. */
    void closes(Registration other) {
        feeds.add(other);
    }

    /** Has every object looked at once more, behind live changes. */
    void resync() {
        replays.forEach(replay -> replay.accept(any -> true));
    }

    /** Queues what the caches hold of shards that are opened. */
    Requeue requeue() {
        return requeue;
    }

    @Override
    public String name() {
        return registration.name();
    }

    @Override
    public boolean isDryRun() {
        return parts.cluster().plan() != null;
    }

    @Override
    public @Nullable Plan plan() {
        return parts.cluster().plan();
    }

    @Override
    public ApiClient apiClient() {
        return parts.leadership().client(registration);
    }

    @Override
    public <T extends KubernetesObject> HostInformer<T> informer(ResourceType<T> type) {
        return informer(Selection.of(type));
    }

    @Override
    @SuppressWarnings("unchecked") // a type's informer has its class
    public <T extends KubernetesObject> HostInformer<T> informer(Selection<T> selection) {
        return (HostInformer<T>) informers.computeIfAbsent(selection, this::acquire);
    }

    /** One that is not declared as a source is held whole: its reader does not expect objects to come and go with shards. */
    private HostInformer<?> acquire(Selection<?> selection) {
        boolean isSource = registration.descriptor().sources().stream()
                .anyMatch(source -> source.selection().equals(selection));
        ShardedSelection<?> sharded = isSource ? loop.caches().get(selection) : null;
        return sharded == null
                ? parts.cluster().informer(selection)
                : parts.cluster().informer(sharded);
    }

    @Override
    public String hostNamespace() {
        return parts.leadership().namespace();
    }

    @Override
    public EventRecorder events() {
        return parts.recorders().apply(registration.name());
    }

    @Override
    public Clock clock() {
        return parts.clock();
    }

    @Override
    public KeyMemories memories() {
        return memories;
    }

    /** The informers that the host was asked for so far, each once. */
    Collection<HostInformer<?>> informers() {
        return informers.values();
    }

    /** Whether caches hold the shard's objects for it, and other shards' not. */
    boolean holds(int shard) {
        return !holding.getOrDefault(shard, List.of()).isEmpty();
    }

    /** Has the caches that are held by shards hold the shard's objects, if they do not. */
    void hold(int shard) {
        if (!holds(shard)) {
            List<HostInformer<?>> sharded =
                    informers().stream().filter(one -> !one.isHeldWhole()).toList();
            holding.put(shard, sharded);
            sharded.forEach(informer -> informer.hold(shard));
        }
    }

    /**
     * Drops the shard's objects soon, in the background: that takes longer the more there are, and other shards may have to
     * be closed meanwhile. Those who hold a shard are counted, so that it may be held again before.
     */
    void drop(int shard) {
        List<HostInformer<?>> dropped = holding.remove(shard);
        if (dropped != null && !dropped.isEmpty()) {
            HostLoop.background("controller-manager-drop-" + shard, () -> dropped.forEach(one -> one.drop(shard)));
        }
    }

    /** Tells once, on any thread, when the shard's objects are held. */
    Registration whenFilled(int shard, Runnable told) {
        List<Function<Runnable, Registration>> caches = new ArrayList<>();
        holding.getOrDefault(shard, List.of()).forEach(informer -> caches.add(one -> informer.whenFilled(shard, one)));
        return Waiters.all(caches, told);
    }

    /** Tells once, on any thread, when what it reads from has come as far as another process had written of the shard. */
    Registration whenPassed(int shard, Map<String, String> versions, Runnable told) {
        List<Function<Runnable, Registration>> caches = new ArrayList<>();
        informers().forEach(informer -> caches.add(one -> informer.whenPassed(shard, versions, one)));
        return Waiters.all(caches, told);
    }

    /** How many objects of a shard are held of the type that it is for; 0 where its cache is held whole. */
    int objects(int shard) {
        HostInformer<?> informer = primary;
        return informer == null ? 0 : informer.size(shard);
    }

    /**
     * Tells once when everything is filled that is held whole; of a controller that stays within namespaces, once those are
     * that may be read.
     */
    void whenSynced(Runnable told) {
        List<Function<Runnable, Registration>> caches = new ArrayList<>(filled);
        informers().stream().filter(HostInformer::isHeldWhole).forEach(informer -> caches.add(informer::whenSynced));
        feeds.add(Waiters.all(caches, told));
        if (staysWithin()) {
            when(() -> NamespaceRules.lackOnlyRights(informers()), () -> withhold(told));
        }
    }

    /** Whether what a key depends on is in its own namespace. */
    boolean staysWithin() {
        return NamespaceRules.staysWithin(registration, parts.controllers(), informers());
    }

    /** Has told the thing on the loop's thread once it is the case; perhaps several times. */
    private void when(BooleanSupplier reached, Runnable then) {
        informers().forEach(informer -> feeds.add(informer.when(reached, () -> loop.post(then))));
    }

    /** Begins with those namespaces that may be read. Others are worked on once they can be, too. */
    private void withhold(Runnable told) {
        if (withheld.addAll(NamespaceRules.lacking(informers()))) {
            told.run();
            withheld.forEach(namespace ->
                    when(() -> !NamespaceRules.lacking(informers()).contains(namespace), () -> {
                        if (withheld.remove(namespace)) {
                            requeue.begin(0);
                        }
                    }));
        }
    }

    /** Whether a key can be worked on now. */
    boolean serves(Request key) {
        return key.getNamespace() == null || !withheld.contains(key.getNamespace());
    }

    /** The uid of the object that has a key, if this process holds one. */
    @Nullable
    String uid(Request key) {
        KubernetesObject object = held(key);
        return object == null ? null : object.getMetadata().getUid();
    }

    /** The object that has a key, of the type that it is for; null if this process holds none. */
    @Nullable
    KubernetesObject held(Request key) {
        HostInformer<?> informer = primary;
        return informer == null ? null : informer.getIndexer().getByKey(Keys.shown(key));
    }

    /** The object that one of its caches has at a path, null if none has it. */
    @Nullable
    KubernetesObject cached(ResourcePath path) {
        if (path.name() != null) {
            for (Map.Entry<Selection<?>, HostInformer<?>> each : informers.entrySet()) {
                if (path.isOf(each.getKey().type())) {
                    KubernetesObject found =
                            each.getValue().getIndexer().getByKey(Keys.shown(path.namespace(), path.name()));
                    if (found != null) {
                        return found;
                    }
                }
            }
        }
        return null;
    }

    /** Why no object has the key, as the end of a sentence about the controller; null if one may have it. */
    @Nullable
    String lackOf(Request key) {
        HostInformer<?> informer = primary;
        Set<String> namespaces = informer == null ? Set.of() : informer.status().namespaces();
        if (!namespaces.isEmpty() && !namespaces.contains(key.getNamespace())) {
            return "does not watch namespace \"" + key.getNamespace() + "\", only " + new TreeSet<>(namespaces)
                    + ": see controller-manager.namespaces";
        }
        if (informer == null || !informer.hasSynced() || held(key) != null) {
            return null;
        }
        Stream<String> selected = registration.descriptor().sources().stream()
                .filter(EventSource::primary)
                .map(source -> source.selection().toString());
        return "has no object " + Keys.shown(key) + " in its cache of " + selected.collect(Collectors.joining())
                + ": see whether it exists and fits"
                + (informer.isHeldWhole() ? "" : ", or ask another replica");
    }

    /** Gives everything back, also what has come since the last time. */
    void close() {
        feeds.forEach(Registration::close);
        for (Selection<?> selection : List.copyOf(informers.keySet())) {
            Optional.ofNullable(informers.remove(selection)).ifPresent(parts.cluster()::release);
        }
    }
}
