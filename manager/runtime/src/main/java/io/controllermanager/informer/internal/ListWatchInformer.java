package io.controllermanager.informer.internal;

import com.google.gson.JsonObject;
import io.controllermanager.client.Registration;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.internal.connection.ApiServerMonitor;
import io.controllermanager.client.internal.request.FailureMessage;
import io.controllermanager.client.internal.request.Meters;
import io.controllermanager.client.internal.request.Obstacle;
import io.controllermanager.client.internal.request.ResourcePath;
import io.controllermanager.event.ResourceEvent;
import io.controllermanager.informer.StoreSnapshot;
import io.controllermanager.informer.internal.delivery.Delivery;
import io.controllermanager.informer.internal.delivery.EventSubscriber;
import io.controllermanager.informer.internal.delivery.SharedProcessor;
import io.controllermanager.informer.internal.delivery.Subscription;
import io.controllermanager.informer.internal.partition.Partition;
import io.controllermanager.informer.internal.partition.Partitions;
import io.controllermanager.informer.internal.partition.Portion;
import io.controllermanager.informer.internal.partition.ShardedSelection;
import io.controllermanager.informer.internal.reflector.ListWatch;
import io.controllermanager.informer.internal.reflector.Reflector;
import io.controllermanager.informer.internal.reflector.ReflectorStatus;
import io.controllermanager.informer.internal.store.Door;
import io.controllermanager.informer.internal.store.IndexedStore;
import io.controllermanager.informer.internal.store.MutationDetector;
import io.controllermanager.informer.internal.store.WriteAnswers;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.Timer;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.informer.ResourceEventHandler;
import io.kubernetes.client.informer.TransformFunc;
import io.kubernetes.client.informer.cache.Indexer;
import io.kubernetes.client.informer.cache.Lister;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reflectors (one, or one for each partition), the store they fill, and the subscribers that are told. Every write to the
 * store and its events happen behind one {@link Door}, so that a subscriber that comes late receives the present state and
 * then each change after it, nothing twice. {@link Partitions} says which reflectors there are.
 *
 * @param <T> the object's class
 */
final class ListWatchInformer<T extends KubernetesObject> implements HostInformer<T> {

    private static final Logger log = LoggerFactory.getLogger(ListWatchInformer.class);

    private final InformerMaker.Identity<T> identity;
    private final Timer timer;
    private final MeterRegistry registry;
    private final Door door = new Door();
    private final @Nullable MutationDetector mutations;
    private final IndexedStore<T> store;
    private final SharedProcessor<T> processor;
    private final List<BiConsumer<Class<T>, Throwable>> errorHandlers = new CopyOnWriteArrayList<>();
    private final AtomicInteger handlers = new AtomicInteger();
    private final Map<String, Long> versions = new ConcurrentHashMap<>();
    private final @Nullable WriteAnswers<T> writeAnswers;
    private final Partitions<T> partitions;
    private volatile boolean started;
    private volatile @Nullable TransformFunc transform;
    private volatile Duration defaultResync = Duration.ZERO;

    /** Null unless this is started. */
    private @Nullable Meters meters;

    /**
     * An informer that has not been started.
     *
     * @param sources makes what a reflector lists and watches, given what to do to each object before it is stored
     * @param writeAnswers reads what this process writes; null if readers are to see that when the watch brings it
     * @param mutations finds out whether stored objects are changed; null if nobody is to look
     * @param partitions what reflectors there are
     */
    ListWatchInformer(
            InformerMaker.Identity<T> identity,
            BiFunction<Portion, UnaryOperator<T>, ListWatch<T>> sources,
            @Nullable WriteAnswers<T> writeAnswers,
            @Nullable MutationDetector mutations,
            ApiServerMonitor monitor,
            Clock clock,
            Timer timer,
            MeterRegistry registry,
            Function<Partitions.Parts<T>, Partitions<T>> partitions) {
        this.identity = identity;
        this.writeAnswers = writeAnswers;
        this.mutations = mutations;
        this.store = new IndexedStore<>(door, mutations);
        this.timer = timer;
        this.registry = registry;
        this.processor = new SharedProcessor<>("informer-" + identity.name() + "-", clock, timer, this::resync);
        this.partitions = partitions.apply(new Partitions.Parts<>(
                identity.label(),
                door,
                store,
                processor,
                versions,
                clock,
                (portion, sink) -> new Reflector<>(
                        portion.threadName(identity.name()),
                        sources.apply(portion, this::transformed),
                        door,
                        sink,
                        monitor,
                        clock,
                        timer,
                        registry,
                        this::tellErrorHandlers)));
    }

    /** What it was asked for by; null if in another way. */
    @Nullable
    ShardedSelection<T> selection() {
        return identity.selection();
    }

    @Override
    public @Nullable ResourceType<T> resourceType() {
        ShardedSelection<T> selection = identity.selection();
        return selection == null ? null : selection.selection().type();
    }

    /** Starts listing and watching, and returns; does nothing if that has been done. */
    @Override
    public void run() {
        door.enter(() -> {
            if (started) {
                return;
            }
            started = true;
            store.clear();
            meters = InformerMeters.of(registry, identity.name(), this);
            partitions.start();
            if (mutations != null) {
                mutations.start("informer-" + identity.name() + "-mutations", timer);
            }
        });
    }

    /** Ends reflectors and deliveries. Subscribers stay for {@link #run}; until then readers see what was there. */
    @Override
    public void stop() {
        List<Reflector<T>> stopping = door.ask(() -> {
            List<Reflector<T>> ended = partitions.end();
            versions.clear();
            if (meters != null) {
                meters.close();
                meters = null;
            }
            if (mutations != null) {
                mutations.stop();
            }
            started = false;
            processor.reset();
            return ended;
        });
        stopping.forEach(Reflector::stop);
    }

    /** Stops, and keeps no object: nobody reads it any more. */
    void end() {
        stop();
        door.enter(store::clear);
    }

    @Override
    public boolean hasSynced() {
        return partitions.areFilled();
    }

    @Override
    public String lastSyncResourceVersion() {
        return partitions.newestVersion();
    }

    @Override
    public void addIndexers(Map<String, Function<T, List<String>>> indexers) {
        store.addIndexers(indexers);
    }

    @Override
    public Indexer<T> getIndexer() {
        return store;
    }

    @Override
    public Set<String> keys() {
        return store.keys();
    }

    @Override
    public StoreSnapshot<T> snapshot() {
        return store.snapshot();
    }

    @Override
    public Lister<T> lister() {
        return new Lister<>(store);
    }

    /** Sets what is done to each object before it is stored; from the next object on. */
    @Override
    public void setTransform(TransformFunc newTransform) {
        this.transform = newTransform;
    }

    @SuppressWarnings("unchecked") // client-java's declaration loses the class, which a transform must keep
    private T transformed(T object) {
        TransformFunc function = transform;
        if (function == null) {
            return object;
        }
        try {
            return (T) function.transform(object);
        } catch (Throwable e) {
            // Of whatever class, it says nothing about the request.
            throw new TransformException(e);
        }
    }

    /** See {@link InformerFactory#configure}. */
    void configure(Duration resync, @Nullable BiConsumer<Class<T>, Throwable> onError) {
        defaultResync = resync.isZero() || resync.isNegative() ? defaultResync : resync;
        if (onError != null) {
            errorHandlers.add(onError);
        }
    }

    private void tellErrorHandlers(Throwable error) {
        door.look();
        for (BiConsumer<Class<T>, Throwable> handler : errorHandlers) {
            try {
                handler.accept(identity.objectClass(), error);
            } catch (Throwable broken) {
                // Of any class, since the reflector and the other handlers go on.
                log.error(
                        "Informer of {}: its exception handler failed: {}",
                        identity.name(),
                        FailureMessage.of(broken),
                        broken);
            }
        }
    }

    @Override
    public void addEventHandler(ResourceEventHandler<T> handler) {
        addHandler(handler, defaultResync);
    }

    @Override
    public void addEventHandlerWithResyncPeriod(ResourceEventHandler<T> handler, long resyncPeriod) {
        addHandler(handler, Duration.ofMillis(Math.max(0, resyncPeriod)));
    }

    private void addHandler(ResourceEventHandler<T> handler, Duration resync) {
        Subscription ignored = subscribe("handler-" + handlers.incrementAndGet(), EventSubscriber.of(handler), resync);
    }

    @Override
    public Subscription subscribe(String name, EventSubscriber<T> subscriber, Duration resync) {
        return door.ask(() -> processor.add(
                name, subscriber, resync, partitions.told(object -> new ResourceEvent.Created<>(object, true))));
    }

    private void resync(Delivery<T> delivery) {
        door.enter(() -> delivery.offer(partitions.told(object -> new ResourceEvent.Updated<>(object, object))));
    }

    /** Whether a write to this path may concern this informer. */
    boolean concerns(ResourcePath path) {
        return started && writeAnswers != null && writeAnswers.concerns(path);
    }

    /** This process has written something, and its author has not seen the answer yet. */
    void written(ResourcePath path, String method, JsonObject answer) {
        WriteAnswers<T> answers = writeAnswers;
        WriteAnswers.Answer<T> said = answers == null ? null : answers.read(path, method, answer);
        if (said == null) {
            return;
        }
        T stored =
                said instanceof WriteAnswers.Answer.Stored<T> s && s.object() != null ? transformed(s.object()) : null;
        door.enter(() -> partitions.written(said, stored));
    }

    @Override
    public Map<String, String> writtenVersions() {
        Map<String, String> all = new TreeMap<>();
        versions.forEach((label, version) -> all.put(label, Long.toString(version)));
        return all;
    }

    @Override
    public boolean hasPassed(Map<String, String> versions) {
        return door.ask(() -> partitions.hasPassed(versions));
    }

    @Override
    public Registration when(BooleanSupplier reached, Runnable told) {
        return door.when(reached, told);
    }

    @Override
    public boolean isHeldWhole() {
        return partitions.isHeldWhole();
    }

    @Override
    public void hold(int shard) {
        door.enter(() -> partitions.hold(shard));
    }

    @Override
    public void drop(int shard) {
        door.enter(() -> partitions.drop(shard));
    }

    @Override
    public Registration whenPassed(int shard, Map<String, String> written, Runnable told) {
        BooleanSupplier passes = door.ask(() -> partitions.passes(shard, written));
        return door.when(() -> door.ask(passes::getAsBoolean), told);
    }

    @Override
    public List<T> list(int shard) {
        return partitions.list(shard);
    }

    @Override
    public int size(int shard) {
        return partitions.size(shard);
    }

    @Override
    public Set<String> lacking() {
        return partitions.lacking();
    }

    @Override
    public List<Obstacle> obstacles() {
        return partitions.obstacles();
    }

    /** Whether anybody is told of changes. */
    boolean hasSubscribers() {
        return !processor.isEmpty();
    }

    @Override
    public InformerStatus status() {
        List<? extends Partition<T>> now = partitions.now();
        // Before the handlers: whoever sees a version here sees its events there, waiting or delivered.
        List<ReflectorStatus> reflectors =
                now.stream().map(partition -> partition.reflector().status()).toList();
        return InformerStatus.of(
                identity.label() + partitions.extent(),
                identity.namespaces(),
                started,
                hasSynced(),
                store.size(),
                lastSyncResourceVersion(),
                now.stream().mapToInt(Partition::ownWrites).sum(),
                mutations == null ? 0 : mutations.found(),
                processor.statuses(),
                Math.round(partitions.averageSize() * store.size()),
                reflectors,
                partitions.lists().stream().map(Reflector::status).toList());
    }

    @Override
    public String toString() {
        return "informer of " + identity.label();
    }

    /** A caller's transform has thrown: no error of a request, nor of what the API server sent. */
    private static final class TransformException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        TransformException(Throwable cause) {
            super("the transform failed: " + cause, cause);
        }
    }
}
