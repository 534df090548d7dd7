package io.controllermanager.informer.internal;

import static io.controllermanager.client.internal.connection.Connected.configMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.informer.Selection;
import io.controllermanager.informer.Shards;
import io.controllermanager.informer.Shards.By;
import io.controllermanager.informer.internal.partition.ShardedSelection;
import io.controllermanager.informer.internal.store.IndexedStore;
import io.controllermanager.testing.support.Waiting;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.SystemTimer;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Informers of shards against an API server, whether it filters by shard or not. */
@ParameterizedClass
@ValueSource(booleans = {false, true})
class ShardedInformerApiServerTest {

    private static final int COUNT = 16;

    private final ApiServer server;
    private final SystemTimer timer = new SystemTimer("test-timer");
    private final List<Replica> replicas = new ArrayList<>();
    private final ResourceClient<V1ConfigMap> others;
    private final boolean filters;

    ShardedInformerApiServerTest(boolean filters) {
        this.filters = filters;
        server = ApiServer.builder()
                .bookmarkInterval(Duration.ofMillis(500))
                .shardedListAndWatch(filters)
                .start();
        others = new ResourceClient<>(server.client(), ResourceTypes.CONFIG_MAP);
    }

    @AfterEach
    void close() {
        replicas.forEach(Replica::close);
        timer.close();
        server.close();
    }

    /** A process that holds some shards. All but the first fill their caches by WatchList. */
    private final class Replica implements AutoCloseable {

        private final HeldWatches watches = new HeldWatches();
        private final EventLog<V1ConfigMap> log = new EventLog<>();
        private final ApiConnection connection;
        private final InformerFactory factory;
        private final HostInformer<V1ConfigMap> informer;
        private final ResourceClient<V1ConfigMap> client;

        Replica(By by) {
            ApiClient api = server.client();
            api.setHttpClient(
                    api.getHttpClient().newBuilder().addInterceptor(watches).build());
            connection =
                    ApiConnection.builder(Clock.system(), timer).apiClient(api).build();
            factory = new InformerFactory(
                    connection,
                    Clock.system(),
                    timer,
                    InformerOptions.DEFAULTS.withWatchListFirst(!replicas.isEmpty()));
            informer = factory.acquire(selection(by));
            informer.subscribe("test", log, Duration.ZERO);
            informer.run();
            client = new ResourceClient<>(connection.apiClient(), ResourceTypes.CONFIG_MAP);
            replicas.add(this);
        }

        Map<String, String> held() {
            return versions(informer.snapshot().list(), object -> true);
        }

        @Override
        public void close() {
            watches.release();
            factory.close();
            connection.close();
        }
    }

    private static ShardedSelection<V1ConfigMap> selection(By by) {
        return new ShardedSelection<>(Selection.of(ResourceTypes.CONFIG_MAP), new Shards(COUNT, by), null);
    }

    private static Map<String, String> versions(List<V1ConfigMap> objects, Predicate<V1ConfigMap> wanted) {
        Map<String, String> versions = new TreeMap<>();
        objects.stream()
                .filter(wanted)
                .forEach(object -> versions.put(
                        IndexedStore.key(object),
                        String.valueOf(object.getMetadata().getResourceVersion())));
        return versions;
    }

    private void awaitSame(Replica replica, By by, Set<Integer> shards) {
        ShardedSelection<V1ConfigMap> selection = selection(by);
        await().untilAsserted(() -> assertThat(replica.held())
                .isEqualTo(versions(others.list(null), object -> shards.contains(selection.shardOf(object)))));
    }

    private String namespaceOf(int shard) {
        Shards shards = new Shards(COUNT, By.NAMESPACE_RANGE);
        String name = server.createNamespace("some");
        while (shards.of(name, "", null) != shard) {
            name = server.createNamespace("some");
        }
        return name;
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void replicasHoldWhatIsTheirsAndTogetherEverything(By by) throws Exception {
        List<String> namespaces = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            namespaces.add(server.createNamespace("team"));
            others.create(configMap(namespaces.get(i), "a", "1"));
        }
        Replica first = new Replica(by);
        Replica second = new Replica(by);
        for (int shard = 0; shard < COUNT; shard++) {
            (shard < 7 ? first : second).informer.hold(shard);
        }
        await().until(() -> first.informer.hasSynced() && second.informer.hasSynced());
        Set<Integer> low = Set.of(0, 1, 2, 3, 4, 5, 6);
        Set<Integer> high = Set.of(7, 8, 9, 10, 11, 12, 13, 14, 15);
        awaitSame(first, by, low);
        awaitSame(second, by, high);

        for (int i = 0; i < 60; i++) {
            others.update(configMap(namespaces.get(i), "a", "2"));
            others.create(configMap(namespaces.get(i), "b", "1"));
        }
        for (int i = 50; i < 100; i++) {
            others.delete(namespaces.get(i), "a");
        }
        first.informer.drop(6);
        second.informer.hold(6);

        awaitSame(first, by, Set.of(0, 1, 2, 3, 4, 5));
        awaitSame(second, by, Set.of(6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
        Map<String, String> union = new TreeMap<>(first.held());
        union.putAll(second.held());
        assertThat(union).isEqualTo(versions(others.list(null), object -> true));
        int reflectors = first.informer.status().reflectors().size();
        assertThat(reflectors).isEqualTo(filters && (by == By.NAMESPACE_RANGE || by == By.UID) ? 6 : 1);
    }

    @Test
    void theNextHolderWaitsForWhatWasWrittenInItsShard() throws ApiException, InterruptedException {
        String ours = namespaceOf(1);
        String kept = namespaceOf(2);
        String theirs = namespaceOf(3);
        Replica giver = new Replica(By.NAMESPACE_RANGE);
        giver.informer.hold(1);
        giver.informer.hold(2);
        Replica receiver = new Replica(By.NAMESPACE_RANGE);
        receiver.informer.hold(1);
        await().until(() ->
                giver.informer.hasSynced() && giver.informer.status().connected());
        await().until(() ->
                receiver.informer.hasSynced() && receiver.informer.status().connected());
        giver.watches.hold();
        receiver.watches.hold();

        V1ConfigMap made = giver.client.create(configMap(ours, "a", "1"));
        V1ConfigMap other = giver.client.create(configMap(kept, "b", "1"));
        giver.client.create(configMap(theirs, "c", "1"));

        // Before the watch brings them, and what is of another shard not at all.
        assertThat(giver.held()).containsOnlyKeys(ours + "/a", kept + "/b");
        giver.informer.drop(1);
        assertThat(giver.held()).containsOnlyKeys(kept + "/b");
        Map<String, String> written = giver.factory.writtenVersions();
        assertThat(written)
                .containsOnly(
                        Map.entry(
                                "configmaps/v1#1-of-16",
                                String.valueOf(made.getMetadata().getResourceVersion())),
                        Map.entry(
                                "configmaps/v1#2-of-16",
                                String.valueOf(other.getMetadata().getResourceVersion())));

        CountDownLatch passed = new CountDownLatch(1);
        CountDownLatch nothing = new CountDownLatch(1);
        receiver.informer.whenPassed(1, written, passed::countDown);
        receiver.informer.whenPassed(1, Map.of("configmaps/v1#2-of-16", "999999999"), nothing::countDown);
        assertThat(passed.getCount()).isOne();
        assertThat(receiver.held()).isEmpty();
        // What was written in a shard that it does not hold is nothing to wait for.
        assertThat(nothing.getCount()).isZero();
        receiver.watches.release();
        Waiting.on(passed);
        assertThat(receiver.held()).containsOnlyKeys(ours + "/a");

        giver.watches.release();
        giver.informer.hold(1);
        awaitSame(giver, By.NAMESPACE_RANGE, Set.of(1, 2));
    }
}
