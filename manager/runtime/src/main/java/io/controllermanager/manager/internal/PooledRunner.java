package io.controllermanager.manager.internal;

import io.controllermanager.client.Registration;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.ControllerDescriptor.ChannelSource;
import io.controllermanager.controller.EventSource;
import io.controllermanager.controller.internal.Controller;
import io.controllermanager.controller.internal.Keys;
import io.controllermanager.controller.internal.UndoneWriteReport;
import io.controllermanager.event.ResourceEvent;
import io.controllermanager.informer.Shards;
import io.controllermanager.informer.internal.HostInformer;
import io.controllermanager.informer.internal.delivery.EventSubscriber;
import io.controllermanager.informer.internal.delivery.Subscription;
import io.controllermanager.informer.internal.store.Waiters;
import io.controllermanager.leaderelection.internal.ShardElectors;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.function.IntPredicate;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * Runs a controller on the host's workers. While another process leads it stands by: its caches are full, and its queue is
 * not fed. When it begins to work, every object that its sources hold is queued, behind live changes.
 */
final class PooledRunner implements ControllerRunner {

    private final ControllerRegistration registration;
    private final HostParts parts;
    private final HostLoop loop;
    private final HostContext context;

    /** Those of its shards; null if it is not divided. */
    private final @Nullable ShardTerms terms;

    /** Whether it stands by as a whole. One that is divided does so shard by shard. */
    private final boolean standsBy;

    private final Requeue requeue;
    private final List<Runnable> replays = new CopyOnWriteArrayList<>();
    private final List<IntConsumer> shardReplays = new CopyOnWriteArrayList<>();

    /** Of what is held whole, for the shards that it is given. */
    private final List<Consumer<IntPredicate>> wholeReplays = new CopyOnWriteArrayList<>();

    private final SharedReplay shared =
            new SharedReplay(shards -> wholeReplays.forEach(replay -> replay.accept(shards)));
    private final List<Subscription> subscriptions = new CopyOnWriteArrayList<>();

    /** What is waited for at the start; those that hold shards hold none then. */
    private final List<Function<Runnable, Registration>> filled = new CopyOnWriteArrayList<>();

    private final List<Registration> feeds = new CopyOnWriteArrayList<>();

    // prepare() sets the controller and then reads closed. close() sets closed and then reads the controller. So at
    // least one of the two sees both, and closes the controller.
    private volatile @Nullable Controller controller;
    private volatile boolean closed;

    private volatile int workers;

    /** What it is for, once this is prepared; null if it is for no type. */
    private volatile @Nullable HostInformer<?> primary;

    /** Namespaces whose keys are not worked on, since something in them may not be read. */
    private final Set<String> withheld = ConcurrentHashMap.newKeySet();

    /** Written by the one who opens and interrupts, once this is prepared. */
    private volatile boolean standingBy;

    PooledRunner(ControllerRegistration registration, HostParts parts, HostLoop loop) {
        this.registration = registration;
        this.parts = parts;
        this.loop = loop;
        Leadership leadership = parts.leadership();
        ShardElectors electors = leadership.shards(registration);
        this.standsBy = leadership.elector(registration) != null && electors == null;
        this.terms = electors == null
                ? null
                : new ShardTerms(electors, registration.options().shards().count());
        this.context = new HostContext(registration, parts, loop.caches());
        this.requeue = new Requeue(registration.name(), loop.retryWait());
        this.workers = registration.options().workers();
    }

    @Override
    public void prepare() throws InterruptedException {
        ControllerDescriptor descriptor = registration.descriptor();
        Reconciler reconciler = descriptor.reconcilerFactory().create(context);
        endIfClosed();
        Controller made = make(descriptor, reconciler);
        if (standsBy) {
            standingBy = true;
            made.standBy();
        }
        controller = made;
        // The number may have been changed while it was made.
        made.resize(workers);
        descriptor.sources().forEach(source -> subscribe(made, source));
        for (ChannelSource<?> channel : descriptor.channels()) {
            feeds.add(made.subscribe(channel));
        }
        feeds.add(registration
                .adapter()
                .feed(key -> parts.cluster().holds(key.getNamespace(), key.getName()), made::enqueue));
        replays.add(() -> registration.adapter().replay(made::enqueue));
        wholeReplays.add(
                shards -> registration.adapter().replay((key, priority) -> made.enqueue(key, priority, shards)));
        endIfClosed();
    }

    /** Gives back what came after {@link #close} had given everything back. */
    private void endIfClosed() throws InterruptedException {
        if (closed) {
            close();
            throw new InterruptedException();
        }
    }

    private Controller make(ControllerDescriptor descriptor, Reconciler reconciler) {
        UndoneWriteReport undoneWrites =
                new UndoneWriteReport(registration.name(), parts.clock(), context.events(), parts.meters(), this::read);
        feeds.add(parts.cluster().observeWrites(undoneWrites));
        feeds.add(undoneWrites::close);
        Leadership leadership = parts.leadership();
        Shards shards = terms == null ? Shards.ONE : registration.options().shards();
        return Controller.of(descriptor, reconciler)
                .options(registration.options().withWorkers(workers))
                .gate(leadership.gate(registration, terms))
                .scope(leadership.scope(registration, terms))
                .shards(shards, this::uid, key -> key.getNamespace() == null || !withheld.contains(key.getNamespace()))
                .clock(parts.clock())
                .timer(parts.timer())
                .meterRegistry(parts.meters())
                .observationRegistry(parts.observations())
                .virtualThreads(parts.virtualThreads())
                .undoneWrites(undoneWrites)
                .build();
    }

    private @Nullable String read(okhttp3.Request get) {
        try (Response response =
                context.apiClient().getHttpClient().newCall(get).execute()) {
            return response.isSuccessful() ? response.body().string() : null;
        } catch (IOException e) {
            return null;
        }
    }

    /** The uid of the object that has a key, if this process holds one. */
    private @Nullable String uid(Request key) {
        KubernetesObject object = held(key);
        return object == null ? null : object.getMetadata().getUid();
    }

    private @Nullable KubernetesObject held(Request key) {
        HostInformer<?> informer = primary;
        return informer == null ? null : informer.getIndexer().getByKey(Keys.shown(key));
    }

    @Override
    public @Nullable String lackOf(Request key) {
        HostInformer<?> informer = primary;
        Set<String> namespaces = informer == null ? Set.of() : informer.status().namespaces();
        if (!namespaces.isEmpty() && !namespaces.contains(key.getNamespace())) {
            return "does not watch namespace \"" + key.getNamespace() + "\", only " + new TreeSet<>(namespaces);
        }
        return informer == null || !informer.hasSynced() || held(key) != null
                ? null
                : "has no object " + Keys.shown(key) + " in its cache";
    }

    private <T extends KubernetesObject> void subscribe(Controller made, EventSource<T> source) {
        HostInformer<T> informer = context.informer(source.selection());
        if (source.primary()) {
            primary = informer;
        }
        EventSubscriber<T> subscriber = made.subscriberFor(source);
        Subscription subscription = informer.subscribe(registration.name(), subscriber, Duration.ZERO);
        subscriptions.add(subscription);
        if (informer.isHeldWhole()) {
            filled.add(subscription::whenSynced);
        }
        replays.add(() -> replay(informer.getIndexer().list(), subscriber));
        if (informer.isHeldWhole()) {
            wholeReplays.add(shards -> replay(informer.getIndexer().list(), made.subscriberFor(source, shards)));
        } else {
            shardReplays.add(
                    shard -> replay(informer.list(shard), made.subscriberFor(source, other -> other == shard)));
        }
    }

    private static <T extends KubernetesObject> void replay(List<T> objects, EventSubscriber<T> subscriber) {
        objects.forEach(object -> subscriber.onEvent(new ResourceEvent.Created<>(object, true)));
    }

    /** Lets reconciles of a shard begin, as long as that term of its Lease lasts. */
    void open(int shard, long term) {
        Objects.requireNonNull(terms).open(shard, term);
        prepared().shards().open(shard);
    }

    /** Has everything looked at that concerns keys of one shard, behind live changes. */
    List<Runnable> replays(int shard) {
        List<Runnable> all = new ArrayList<>();
        shardReplays.forEach(replay -> all.add(() -> replay.accept(shard)));
        all.add(() -> shared.replay(shard));
        return all;
    }

    /** The informers that hold only the shards that they are told to. */
    List<HostInformer<?>> shardedInformers() {
        return context.informers().stream()
                .filter(informer -> !informer.isHeldWhole())
                .toList();
    }

    /** Tells once when what it reads without the host's knowledge has come so far; at once if there is no such thing. */
    Registration whenOthersPassed(Map<String, String> versions, Runnable told) {
        if (registration.adapter().readsOtherInformers()) {
            return parts.cluster().whenPassed(versions, told);
        }
        told.run();
        return () -> {};
    }

    /** How many objects of a shard are held of the type that it is for; 0 where its cache is held whole. */
    int objects(int shard) {
        HostInformer<?> informer = primary;
        return informer == null ? 0 : informer.size(shard);
    }

    @Override
    public void whenSynced(Runnable told) {
        List<Function<Runnable, Registration>> caches = new ArrayList<>(filled);
        context.informers().stream()
                .filter(HostInformer::isHeldWhole)
                .forEach(informer -> caches.add(informer::whenSynced));
        feeds.add(Waiters.all(caches, told));
        if (terms == null && NamespaceRules.staysWithin(registration, parts.controllers(), informers())) {
            when(() -> NamespaceRules.lackOnlyRights(informers()), () -> withhold(told));
        }
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
                    when(() -> !NamespaceRules.lacking(informers()).contains(namespace), () -> workOn(namespace)));
        }
    }

    private void workOn(String namespace) {
        if (withheld.remove(namespace) && !standingBy && !closed) {
            requeue.begin(replays);
        }
    }

    @Override
    public Collection<HostInformer<?>> informers() {
        return context.informers();
    }

    private Controller prepared() {
        return Objects.requireNonNull(controller);
    }

    @Override
    public void open() {
        if (standsBy) {
            prepared().takeOver();
        }
        prepared().startWorkers();
        if (standingBy) {
            requeue.begin(replays);
            standingBy = false;
        }
    }

    @Override
    public void resync() {
        replays.forEach(Runnable::run);
    }

    @Override
    public boolean isRequeueing() {
        return standingBy || requeue.isUnderWay();
    }

    @Override
    public void interrupt() {
        if (standsBy) {
            // Without election nobody else works meanwhile, and the queue keeps what comes.
            standingBy = true;
            requeue.end();
            prepared().standBy();
        }
        try {
            prepared().stopWorkers(Duration.ZERO);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public boolean hasEnded() {
        Controller current = controller;
        return current == null || !current.isReconciling();
    }

    @Override
    public void retire() {
        prepared().retireWorkers();
    }

    @Override
    public boolean drain(Duration limit) throws InterruptedException {
        Controller current = controller;
        return current == null || current.stopWorkers(limit);
    }

    @Override
    public void close() {
        closed = true;
        requeue.end();
        feeds.forEach(Registration::close);
        subscriptions.forEach(Subscription::close);
        Controller current = controller;
        if (current != null) {
            current.close();
        }
        context.release();
    }

    @Override
    public void resize(int newWorkers) {
        workers = newWorkers;
        Controller current = controller;
        if (current != null) {
            current.resize(newWorkers);
        }
    }

    @Override
    public @Nullable Controller controller() {
        return controller;
    }
}
