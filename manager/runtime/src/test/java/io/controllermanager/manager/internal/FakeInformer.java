package io.controllermanager.manager.internal;

import io.controllermanager.client.Registration;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.internal.request.Obstacle;
import io.controllermanager.event.ResourceEvent;
import io.controllermanager.informer.StoreSnapshot;
import io.controllermanager.informer.internal.HostInformer;
import io.controllermanager.informer.internal.InformerStatus;
import io.controllermanager.informer.internal.delivery.EventSubscriber;
import io.controllermanager.informer.internal.delivery.Subscription;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.informer.ResourceEventHandler;
import io.kubernetes.client.informer.TransformFunc;
import io.kubernetes.client.informer.cache.Cache;
import io.kubernetes.client.informer.cache.Indexer;
import io.kubernetes.client.informer.cache.Lister;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** An informer whose objects a test puts there, and which is synced when the test says so. */
class FakeInformer<T extends KubernetesObject> implements HostInformer<T> {

    private final ResourceType<T> type;
    final Cache<T> cache = new Cache<>() {
        @Override
        public List<T> list() {
            if (unreadable) {
                throw new IllegalStateException("unreadable");
            }
            return super.list();
        }
    };
    final List<EventSubscriber<T>> subscribers = new CopyOnWriteArrayList<>();
    final List<Runnable> progress = new CopyOnWriteArrayList<>();
    private volatile boolean synced;
    private volatile List<Obstacle> obstacles = List.of();
    private volatile Set<String> lacking = Set.of();
    private volatile Set<String> namespaces = Set.of();
    private volatile boolean unreadable;
    private volatile boolean broken;
    private volatile long version = Long.MAX_VALUE;

    FakeInformer(ResourceType<T> type) {
        this.type = type;
    }

    /** Puts objects there and tells every subscriber. */
    void put(T object) {
        cache.add(object);
        subscribers.forEach(subscriber -> subscriber.onEvent(new ResourceEvent.Created<>(object, !synced)));
    }

    void synced(boolean newSynced) {
        synced = newSynced;
        progress.forEach(Runnable::run);
    }

    @Override
    public Set<String> keys() {
        return Set.copyOf(cache.listKeys());
    }

    /** Whether its objects cannot be listed. */
    void unreadable(boolean newUnreadable) {
        unreadable = newUnreadable;
    }

    /** How far it has come, as number; far enough for anything unless said. */
    void comeAsFarAs(long newVersion) {
        version = newVersion;
        progress.forEach(Runnable::run);
    }

    /** Whether it cannot say how far it has come. */
    void broken(boolean newBroken) {
        broken = newBroken;
    }

    @Override
    public Set<String> lacking() {
        return lacking;
    }

    /** Of which namespaces it has yet to list. */
    void lacks(Set<String> now) {
        lacking = now;
    }

    /** To which namespaces it is restricted. */
    void only(Set<String> now) {
        namespaces = now;
    }

    @Override
    public List<Obstacle> obstacles() {
        return obstacles;
    }

    /** What is in its way from now on. */
    void inTheWay(Obstacle... now) {
        obstacles = List.of(now);
        progress.forEach(Runnable::run);
    }

    @Override
    public Registration when(BooleanSupplier reached, Runnable told) {
        AtomicBoolean over = new AtomicBoolean();
        Runnable look = () -> {
            if (reached.getAsBoolean() && over.compareAndSet(false, true)) {
                told.run();
            }
        };
        progress.add(look);
        look.run();
        return () -> progress.remove(look);
    }

    @Override
    public Map<String, String> writtenVersions() {
        return Map.of();
    }

    @Override
    public boolean hasPassed(Map<String, String> versions) {
        if (broken) {
            throw new IllegalStateException("broken");
        }
        String asked = versions.get(type.plural());
        return asked == null || version >= Long.parseLong(asked);
    }

    @Override
    public boolean isHeldWhole() {
        return true;
    }

    @Override
    public void hold(int shard) {}

    @Override
    public void drop(int shard) {}

    @Override
    public Registration whenPassed(int shard, Map<String, String> versions, Runnable told) {
        return whenPassed(versions, told);
    }

    @Override
    public List<T> list(int shard) {
        return getIndexer().list();
    }

    @Override
    public int size(int shard) {
        return 0;
    }

    int subscribers() {
        return subscribers.size();
    }

    @Override
    public ResourceType<T> resourceType() {
        return type;
    }

    @Override
    public Subscription subscribe(String name, EventSubscriber<T> subscriber, Duration resync) {
        subscribers.add(subscriber);
        cache.listKeys().stream()
                .map(cache::getByKey)
                .forEach(object -> subscriber.onEvent(new ResourceEvent.Created<>(object, true)));
        return new Subscription() {
            @Override
            public boolean hasSynced() {
                return synced;
            }

            @Override
            public Registration whenSynced(Runnable told) {
                return FakeInformer.this.whenSynced(told);
            }

            @Override
            public void close() {
                subscribers.remove(subscriber);
            }
        };
    }

    @Override
    public StoreSnapshot<T> snapshot() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Lister<T> lister() {
        return new Lister<>(cache);
    }

    @Override
    public InformerStatus status() {
        return new InformerStatus(
                type.toString(),
                namespaces,
                true,
                synced,
                synced,
                cache.listKeys().size(),
                "",
                0,
                0,
                null,
                synced ? null : "403 Forbidden",
                null,
                0,
                0,
                List.of(),
                0,
                List.of());
    }

    @Override
    public Indexer<T> getIndexer() {
        return cache;
    }

    @Override
    public boolean hasSynced() {
        return synced;
    }

    @Override
    public String lastSyncResourceVersion() {
        return "";
    }

    @Override
    public void run() {}

    @Override
    public void stop() {}

    @Override
    public void addIndexers(Map<String, Function<T, List<String>>> indexers) {
        cache.addIndexers(indexers);
    }

    @Override
    public void addEventHandler(ResourceEventHandler<T> handler) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void addEventHandlerWithResyncPeriod(ResourceEventHandler<T> handler, long resyncPeriod) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void setTransform(@Nullable TransformFunc transformFunc) {
        throw new UnsupportedOperationException();
    }
}
