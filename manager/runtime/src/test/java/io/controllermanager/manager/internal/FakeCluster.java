package io.controllermanager.manager.internal;

import io.controllermanager.client.Registration;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.informer.Selection;
import io.controllermanager.informer.internal.HostInformer;
import io.controllermanager.informer.internal.InformerFactory;
import io.controllermanager.informer.internal.InformerOptions;
import io.controllermanager.informer.internal.InformerStatus;
import io.controllermanager.informer.internal.partition.ShardedSelection;
import io.controllermanager.informer.internal.store.Waiters;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** An API server that serves what a test says, and informers that the test fills. */
final class FakeCluster extends Cluster {

    private final Set<ResourceType<?>> served = ConcurrentHashMap.newKeySet();
    private final Map<ResourceType<?>, FakeInformer<?>> informers = new ConcurrentHashMap<>();
    private final Map<ShardedSelection<?>, FakeShardedInformer<?>> sharded = new ConcurrentHashMap<>();
    private final List<String> log;
    private final List<Runnable> recoveries = new CopyOnWriteArrayList<>();
    private final Map<ResourceType<?>, Integer> refusals = new ConcurrentHashMap<>();
    private volatile Map<String, String> written = Map.of();
    private volatile boolean reachable = true;
    private volatile Runnable beforeAnswer = () -> {};
    private volatile Runnable beforeRelease = () -> {};

    FakeCluster(List<String> log) {
        this(
                log,
                ApiConnection.builder(Clock.system(), new VirtualTime())
                        .apiClient(new ApiClient())
                        .build());
    }

    /** With a connection that is never used. */
    private FakeCluster(List<String> log, ApiConnection connection) {
        super(
                new InformerFactory(connection, Clock.system(), new VirtualTime(), InformerOptions.DEFAULTS),
                connection.monitor());
        this.log = log;
    }

    void serve(ResourceType<?> type) {
        served.add(type);
    }

    void reachable(boolean newReachable) {
        reachable = newReachable;
    }

    /** Answers the question for a type with an HTTP status code. */
    void refuse(ResourceType<?> type, int code) {
        refusals.put(type, code);
    }

    /** What a question for a type waits for. */
    void beforeAnswer(Runnable newBeforeAnswer) {
        beforeAnswer = newBeforeAnswer;
    }

    /** What giving an informer back waits for. */
    void beforeRelease(Runnable newBeforeRelease) {
        beforeRelease = newBeforeRelease;
    }

    /** The informer, made now if need be. */
    @SuppressWarnings("unchecked")
    <T extends KubernetesObject> FakeInformer<T> fake(ResourceType<T> type) {
        return (FakeInformer<T>) informers.computeIfAbsent(type, FakeInformer::new);
    }

    /** The informer of some shards' objects, made now if need be. */
    @SuppressWarnings("unchecked")
    <T extends KubernetesObject> FakeShardedInformer<T> fake(ShardedSelection<T> selection) {
        return (FakeShardedInformer<T>) sharded.computeIfAbsent(selection, FakeShardedInformer::new);
    }

    @Override
    <T extends KubernetesObject> HostInformer<T> informer(ShardedSelection<T> selection) {
        log.add("sharded informer " + selection.selection().type().plural());
        return fake(selection);
    }

    /** What this process has written. */
    void written(Map<String, String> versions) {
        written = versions;
    }

    @Override
    Map<String, String> writtenVersions() {
        return written;
    }

    @Override
    Registration whenPassed(Map<String, String> versions, Runnable told) {
        List<Function<Runnable, Registration>> caches = new ArrayList<>();
        informers.values().forEach(informer -> caches.add(one -> informer.whenPassed(versions, one)));
        return Waiters.all(caches, told);
    }

    @Override
    Registration onRecovery(Runnable listener) {
        recoveries.add(listener);
        return () -> recoveries.remove(listener);
    }

    /** Tells that the API server is back. */
    void recover() {
        recoveries.forEach(Runnable::run);
    }

    boolean hasInformer(ResourceType<?> type) {
        return informers.containsKey(type);
    }

    @Override
    boolean serves(ResourceType<?> type) throws ApiException {
        if (!reachable) {
            throw new ApiException(new ConnectException("connection refused"));
        }
        Integer code = refusals.get(type);
        if (code != null) {
            throw new ApiException(code, "refused");
        }
        beforeAnswer.run();
        return served.contains(type);
    }

    @Override
    <T extends KubernetesObject> HostInformer<T> informer(Selection<T> selection) {
        log.add("informer " + selection.type().plural());
        return fake(selection.type());
    }

    @Override
    void release(HostInformer<?> informer) {
        beforeRelease.run();
        log.add("released " + informer.status().resource());
    }

    @Override
    boolean holds(@Nullable String namespace, String name) {
        return informers.values().stream()
                .anyMatch(informer -> informer.getIndexer().getByKey(namespace + "/" + name) != null);
    }

    @Override
    void start() {}

    @Override
    void stop() {
        log.add("informers stopped");
    }

    @Override
    List<InformerStatus> informers() {
        return informers.values().stream().map(FakeInformer::status).toList();
    }
}
