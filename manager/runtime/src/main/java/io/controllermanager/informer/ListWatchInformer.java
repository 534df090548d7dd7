package io.controllermanager.informer;

import io.controllermanager.client.ApiServerMonitor;
import io.controllermanager.client.FailureMessage;
import io.controllermanager.client.Registration;
import io.controllermanager.client.ResourcePath;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceVersions;
import io.controllermanager.event.ResourceEvent;
import io.controllermanager.time.Clock;
import io.controllermanager.time.Timer;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.informer.ResourceEventHandler;
import io.kubernetes.client.informer.TransformFunc;
import io.kubernetes.client.informer.cache.Indexer;
import io.kubernetes.client.informer.cache.Lister;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reflectors (one, or one per namespace), the store they write to, and the subscribers that are told. Every write to the
 * store and its events happen under one lock, so that a subscriber that comes late receives the present state and then
 * each change after it, nothing twice.
 *
 * @param <T> the object's class
 */
final class ListWatchInformer<T extends KubernetesObject> implements Informer<T> {

    private static final Logger log = LoggerFactory.getLogger(ListWatchInformer.class);

    /** As often as client-go looks. */
    private static final Duration MUTATION_CHECKS = Duration.ofSeconds(1);

    private final Identity<T> identity;
    private final SourceFactory<T> sources;
    private final ApiServerMonitor monitor;
    private final Clock clock;
    private final Timer timer;
    private final @Nullable MeterRegistry registry;
    private final Object lock = new Object();
    private final @Nullable MutationDetector mutations;
    private final IndexedStore<T> store;
    private final List<Delivery<T>> deliveries = new CopyOnWriteArrayList<>();
    private final List<BiConsumer<Class<T>, Throwable>> errorHandlers = new CopyOnWriteArrayList<>();
    private final AtomicInteger handlers = new AtomicInteger();
    private final Waiters waiters = new Waiters();
    private final @Nullable WriteAnswers<T> writeAnswers;
    private volatile List<Reflector<T>> reflectors = List.of();
    private volatile List<Partition> partitions = List.of();
    private volatile @Nullable Thread mutationThread;
    private volatile boolean started;
    private volatile boolean synced;
    private volatile @Nullable TransformFunc transform;
    private volatile Duration defaultResync = Duration.ZERO;

    /** Guarded by the lock. */
    private @Nullable InformerMeters meters;

    /** Partitions whose first list is still to come; guarded by the lock. */
    private int unfilled;

    /**
     * What the informer is of.
     *
     * @param label for status and messages: the type's qualified name and version
     * @param name for threads: the type's qualified name
     * @param objectClass the objects' class
     * @param type null where only the class is known
     * @param namespaces the namespaces, empty for all
     */
    record Identity<T extends KubernetesObject>(
            String label,
            String name,
            Class<T> objectClass,
            @Nullable ResourceType<T> type,
            Set<String> namespaces) {}

    /** Makes what a reflector lists and watches. */
    @FunctionalInterface
    interface SourceFactory<T extends KubernetesObject> {

        /**
         * The source.
         *
         * @param namespace null for all
         * @param transform applied to each object before it is stored
         */
        ListWatch<T> source(@Nullable String namespace, Function<T, T> transform);
    }

    /**
     * An informer that has not been started.
     *
     * @param writeAnswers reads what this process writes; null if readers are to see that when the watch brings it
     * @param mutations finds out whether stored objects are changed; null if nobody is to look
     */
    ListWatchInformer(
            Identity<T> identity,
            SourceFactory<T> sources,
            @Nullable WriteAnswers<T> writeAnswers,
            @Nullable MutationDetector mutations,
            ApiServerMonitor monitor,
            Clock clock,
            Timer timer,
            @Nullable MeterRegistry registry) {
        this.identity = identity;
        this.sources = sources;
        this.writeAnswers = writeAnswers;
        this.mutations = mutations;
        this.store = new IndexedStore<>(lock, mutations);
        this.monitor = monitor;
        this.clock = clock;
        this.timer = timer;
        this.registry = registry;
    }

    @Override
    public @Nullable ResourceType<T> resourceType() {
        return identity.type();
    }

    Class<T> objectClass() {
        return identity.objectClass();
    }

    /** Starts listing and watching, and returns; does nothing if that has been done. */
    @Override
    public void run() {
        synchronized (lock) {
            if (started) {
                return;
            }
            started = true;
            List<Partition> made = new ArrayList<>();
            if (identity.namespaces().isEmpty()) {
                made.add(new Partition(null, "informer-" + identity.name()));
            } else {
                for (String namespace : identity.namespaces()) {
                    made.add(new Partition(namespace, "informer-" + identity.name() + "." + namespace));
                }
            }
            unfilled = made.size();
            partitions = List.copyOf(made);
            reflectors = made.stream().map(partition -> partition.reflector).toList();
            if (registry != null) {
                meters = new InformerMeters(registry, identity.name(), this);
            }
            reflectors.forEach(Reflector::start);
            MutationDetector detector = mutations;
            if (detector != null) {
                Thread thread =
                        new Thread(() -> lookForMutations(detector), "informer-" + identity.name() + "-mutations");
                thread.setDaemon(true);
                mutationThread = thread;
                thread.start();
            }
        }
    }

    private void lookForMutations(MutationDetector detector) {
        try {
            while (mutationThread == Thread.currentThread()) {
                timer.sleep(MUTATION_CHECKS);
                check(detector);
            }
        } catch (InterruptedException e) {
            // The informer has been stopped.
        }
    }

    private void check(MutationDetector detector) {
        try {
            detector.check();
        } catch (RuntimeException e) {
            // Such as by an object that is being changed at this very moment, which the next round will find.
            log.atWarn()
                    .setCause(e)
                    .addKeyValue("resource", identity.label())
                    .log(
                            "Informer of {}: objects of the cache could not be compared with what they were: {}",
                            identity.label(),
                            FailureMessage.of(e));
        }
    }

    /** Ends reflectors and deliveries and empties the store. Subscribers stay, for {@link #run} to start afresh. */
    @Override
    public void stop() {
        List<Reflector<T>> stopping;
        synchronized (lock) {
            stopping = reflectors;
            reflectors = List.of();
            partitions = List.of();
            if (meters != null) {
                meters.close();
                meters = null;
            }
            Thread looking = mutationThread;
            mutationThread = null;
            if (looking != null) {
                looking.interrupt();
            }
            started = false;
            synced = false;
            store.clear();
            deliveries.forEach(Delivery::reset);
        }
        stopping.forEach(Reflector::stop);
    }

    @Override
    public boolean hasSynced() {
        return synced;
    }

    @Override
    public String lastSyncResourceVersion() {
        return reflectors.stream()
                .map(Reflector::resourceVersion)
                .max(Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder()))
                .orElse("");
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
        return function == null ? object : (T) function.transform(object);
    }

    /** The resync period of handlers added without one. */
    void defaultResync(Duration period) {
        if (!period.isZero() && !period.isNegative()) {
            this.defaultResync = period;
        }
    }

    void onError(@Nullable BiConsumer<Class<T>, Throwable> handler) {
        if (handler != null) {
            errorHandlers.add(handler);
        }
    }

    private void tellErrorHandlers(Throwable error) {
        errorHandlers.forEach(handler -> handler.accept(identity.objectClass(), error));
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
        Subscription never =
                subscribe("handler-" + handlers.incrementAndGet(), new HandlerSubscriber<>(handler), resync);
        Objects.requireNonNull(never);
    }

    @Override
    public Subscription subscribe(String name, EventSubscriber<T> subscriber, Duration resync) {
        synchronized (lock) {
            Delivery<T> delivery = new Delivery<>(
                    "informer-" + identity.name() + "-" + name,
                    name,
                    clock,
                    subscriber,
                    this::deliverAgain,
                    deliveries::remove);
            delivery.offer(told(object -> new ResourceEvent.Created<>(object, true)));
            if (synced) {
                delivery.offerSynced();
            }
            deliveries.add(delivery);
            if (!resync.isZero() && !resync.isNegative()) {
                scheduleResync(delivery, resync);
            }
            return delivery;
        }
    }

    private void scheduleResync(Delivery<T> delivery, Duration period) {
        delivery.resyncTimer(timer.schedule(period, () -> {
            if (deliveries.contains(delivery)) {
                if (synced) {
                    delivery.offerResync();
                }
                scheduleResync(delivery, period);
            }
        }));
    }

    /** Puts every object behind what waits already: on the delivery's thread, since it may take a while. */
    private void deliverAgain(Delivery<T> delivery) {
        synchronized (lock) {
            delivery.offer(told(object -> new ResourceEvent.Updated<>(object, object)));
        }
    }

    /** An event for each object that subscribers know of: not what the watch has not brought yet. */
    private List<ResourceEvent<T>> told(Function<T, ResourceEvent<T>> event) {
        List<ResourceEvent<T>> events = new ArrayList<>(store.size());
        for (Partition partition : partitions) {
            for (String key : partition.toldKeys()) {
                T told = partition.ownWrites.told(key);
                if (told != null) {
                    events.add(event.apply(told));
                }
            }
        }
        return events;
    }

    /** Whether a write to this path may concern this informer. */
    boolean concerns(ResourcePath path) {
        return started && writeAnswers != null && writeAnswers.concerns(path);
    }

    /** This process has written something, and its author has not seen the answer yet. */
    void written(ResourcePath path, String method, byte[] answer) {
        WriteAnswers<T> answers = writeAnswers;
        WriteAnswers.Answer<T> said = answers == null ? null : answers.read(path, method, answer);
        if (said == null) {
            return;
        }
        T stored =
                said instanceof WriteAnswers.Answer.Stored<T> s && s.object() != null ? transformed(s.object()) : null;
        synchronized (lock) {
            for (Partition partition : partitions) {
                if (partition.namespace != null && !partition.namespace.equals(said.namespace())) {
                    continue;
                }
                partition.wrote(said, stored != null);
                if (said instanceof WriteAnswers.Answer.Stored<T> s) {
                    partition.ownWrites.written(s.key(), stored, s.version());
                } else if (said instanceof WriteAnswers.Answer.Deleted<T> d) {
                    partition.ownWrites.deleted(d.key(), d.uid(), d.version());
                }
            }
        }
    }

    @Override
    public Map<String, String> writtenVersions() {
        Map<String, String> versions = new TreeMap<>();
        for (Partition partition : partitions) {
            long written = partition.newestWritten;
            if (written > 0) {
                versions.put(partition.label(), Long.toString(written));
            }
        }
        return versions;
    }

    @Override
    public boolean hasPassed(Map<String, String> versions) {
        return partitions.stream()
                .allMatch(partition -> ResourceVersions.number(partition.reflector.resourceVersion())
                        >= ResourceVersions.number(versions.get(partition.label())));
    }

    @Override
    public Registration whenSynced(Runnable told) {
        return waiters.add(this::hasSynced, told);
    }

    @Override
    public Registration whenPassed(Map<String, String> versions, Runnable told) {
        return waiters.add(() -> hasPassed(versions), told);
    }

    /** Whether anybody is told of changes. */
    boolean hasSubscribers() {
        return !deliveries.isEmpty();
    }

    @Override
    public InformerStatus status() {
        List<Reflector<T>> now = reflectors;
        List<ReflectorStatus> wires = new ArrayList<>();
        for (Reflector<T> reflector : now) {
            wires.add(reflector.status());
        }
        double averageSize =
                SampledSize.average(now.stream().map(Reflector::objectSize).toList());
        return InformerStatus.of(
                identity.label(),
                identity.namespaces(),
                started,
                synced,
                store.size(),
                lastSyncResourceVersion(),
                partitions.stream()
                        .mapToInt(partition -> partition.ownWrites.size())
                        .sum(),
                mutations == null ? 0 : mutations.found(),
                deliveries.stream().map(Delivery::status).toList(),
                Math.round(averageSize * store.size()),
                wires);
    }

    @Override
    public String toString() {
        return "informer of " + identity.label();
    }

    /** What one reflector writes: all objects, or those of a namespace. */
    private final class Partition implements Reflector.Sink<T> {

        private final @Nullable String namespace;
        private final OwnWrites<T> ownWrites = new OwnWrites<>(store, clock);
        private final Reflector<T> reflector;
        private boolean filled;
        private volatile long newestWritten;

        Partition(@Nullable String namespace, String threadName) {
            this.namespace = namespace;
            ListWatch<T> source = sources.source(namespace, ListWatchInformer.this::transformed);
            this.reflector = new Reflector<>(
                    threadName,
                    source,
                    this,
                    monitor,
                    clock,
                    timer,
                    registry,
                    ListWatchInformer.this::tellErrorHandlers);
        }

        /** The same in every process that is configured alike. */
        String label() {
            return namespace == null ? identity.label() : identity.label() + "/" + namespace;
        }

        /** Remembers a write that the watch will bring; called under the informer's lock. */
        void wrote(WriteAnswers.Answer<T> said, boolean held) {
            long version = said instanceof WriteAnswers.Answer.Stored<T> stored
                    ? stored.version()
                    : ((WriteAnswers.Answer.Deleted<T>) said).version();
            if (version > newestWritten && (held || said instanceof WriteAnswers.Answer.Deleted)) {
                newestWritten = version;
            }
        }

        /** A reflector that has been stopped may have one more thing to say. */
        private boolean current() {
            return partitions.contains(this);
        }

        Set<String> toldKeys() {
            return ownWrites.toldKeys(store.currentKeys(namespace));
        }

        @Override
        public void replace(List<T> listed, String version) {
            Map<String, T> byKey = new LinkedHashMap<>(listed.size() * 2);
            for (T object : listed) {
                byKey.put(IndexedStore.key(object), object);
            }
            synchronized (lock) {
                if (!current()) {
                    return;
                }
                List<ResourceEvent<T>> events = new ArrayList<>(byKey.size());
                store.atOnce(() -> replace(byKey, ResourceVersions.number(version), events));
                deliveries.forEach(delivery -> delivery.offer(events));
                if (!filled) {
                    filled = true;
                    unfilled--;
                    if (unfilled == 0) {
                        synced = true;
                        deliveries.forEach(Delivery::offerSynced);
                    }
                }
            }
            waiters.look();
        }

        private void replace(Map<String, T> listed, long version, List<ResourceEvent<T>> events) {
            ownWrites.listing(version, listed);
            Set<String> gone = toldKeys();
            gone.removeAll(listed.keySet());
            listed.forEach((key, object) -> set(key, object, !filled, events));
            for (String key : gone) {
                T last = ownWrites.told(key);
                ownWrites.omit(key);
                if (last != null) {
                    events.add(new ResourceEvent.Deleted<>(last, true));
                }
            }
        }

        @Override
        public void put(T object) {
            synchronized (lock) {
                if (current()) {
                    List<ResourceEvent<T>> events = new ArrayList<>(2);
                    set(IndexedStore.key(object), object, false, events);
                    deliveries.forEach(delivery -> delivery.offer(events));
                }
            }
        }

        @Override
        public void remove(T object) {
            synchronized (lock) {
                if (!current()) {
                    return;
                }
                String key = IndexedStore.key(object);
                T known = ownWrites.told(key);
                ownWrites.remove(key, object);
                if (known != null) {
                    List<ResourceEvent<T>> events = List.of(new ResourceEvent.Deleted<>(object, false));
                    deliveries.forEach(delivery -> delivery.offer(events));
                }
            }
        }

        @Override
        public void passed(String version) {
            synchronized (lock) {
                if (current()) {
                    ownWrites.passed(ResourceVersions.number(version));
                }
            }
            waiters.look();
        }

        private void set(String key, T object, boolean initial, List<ResourceEvent<T>> events) {
            T before = ownWrites.told(key);
            if (before != null && sameVersion(before, object)) {
                return;
            }
            ownWrites.put(key, object);
            if (before == null) {
                events.add(new ResourceEvent.Created<>(object, initial));
            } else if (Objects.equals(uid(before), uid(object))) {
                events.add(new ResourceEvent.Updated<>(before, object));
            } else {
                // Deleted and created again while nobody watched: two objects, though they share a name.
                events.add(new ResourceEvent.Deleted<>(before, true));
                events.add(new ResourceEvent.Created<>(object, false));
            }
        }
    }

    private static boolean sameVersion(KubernetesObject a, KubernetesObject b) {
        String version = a.getMetadata().getResourceVersion();
        return version != null && version.equals(b.getMetadata().getResourceVersion());
    }

    private static @Nullable String uid(KubernetesObject object) {
        return object.getMetadata().getUid();
    }
}
