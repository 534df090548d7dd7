package io.controllermanager.informer.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.event.ResourceEvent;
import io.controllermanager.informer.Selection;
import io.controllermanager.informer.Shards;
import io.controllermanager.informer.Shards.By;
import io.controllermanager.informer.internal.partition.ShardPartition;
import io.controllermanager.informer.internal.partition.ShardPartitions;
import io.controllermanager.informer.internal.partition.ShardedSelection;
import io.controllermanager.informer.internal.store.IndexedStore;
import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Shards come and go while a collection changes, whose watches lag and whose lists are late. */
class ShardedInformerTest {

    private static final String COMMON = "some shards";
    private static final String MORE = "more shards";

    private final VirtualTime time = new VirtualTime();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final ApiConnection connection = ApiConnection.builder(time, time)
            .apiClient(new ApiClient().setBasePath("http://localhost"))
            .build();
    private final List<ListWatchInformer<V1ConfigMap>> made = new ArrayList<>();
    private final EventLog<V1ConfigMap> log = new EventLog<>();
    private final AtomicInteger probes = new AtomicInteger();

    @AfterEach
    void close() {
        made.forEach(ListWatchInformer::stop);
        connection.close();
    }

    private static ShardedSelection<V1ConfigMap> selection(int count, By by, @Nullable ResourceType<?> owner) {
        return new ShardedSelection<>(Selection.of(ResourceTypes.CONFIG_MAP), new Shards(count, by), owner);
    }

    private ListWatchInformer<V1ConfigMap> informer(
            FakeCollection collection, ShardedSelection<V1ConfigMap> selection, boolean filters) {
        return informer(collection, selection, Set.of(), (namespace, told) -> {
            probes.incrementAndGet();
            told.accept(filters);
        });
    }

    private ListWatchInformer<V1ConfigMap> informer(
            FakeCollection collection,
            ShardedSelection<V1ConfigMap> selection,
            Set<String> namespaces,
            ShardPartitions.ServerFilter filter) {
        ListWatchInformer<V1ConfigMap> informer = new ListWatchInformer<>(
                new InformerMaker.Identity<>("configmaps/v1", "configmaps", V1ConfigMap.class, selection, namespaces),
                (portion, transform) -> collection.source(portion),
                null,
                null,
                connection.monitor(),
                time,
                time,
                registry,
                parts -> new ShardPartitions<>(selection, namespaces, parts, filter));
        made.add(informer);
        informer.subscribe("test", log, Duration.ZERO);
        return informer;
    }

    private static Map<String, V1ConfigMap> held(HostInformer<V1ConfigMap> informer) {
        Map<String, V1ConfigMap> all = new TreeMap<>();
        informer.snapshot().list().forEach(object -> all.put(IndexedStore.key(object), object));
        return all;
    }

    private static Map<String, V1ConfigMap> expected(
            FakeCollection collection, ShardedSelection<V1ConfigMap> selection, Set<Integer> shards) {
        Map<String, V1ConfigMap> all = collection.objects();
        all.values().removeIf(object -> {
            int shard = selection.shardOf(object);
            return !shards.contains(shard) && (shard != ShardedSelection.ANY || shards.isEmpty());
        });
        return all;
    }

    private static void awaitSame(
            HostInformer<V1ConfigMap> informer,
            FakeCollection collection,
            ShardedSelection<V1ConfigMap> selection,
            Integer... shards) {
        await().untilAsserted(() -> assertThat(FakeCollection.versions(held(informer)))
                .as(() -> informer.status() + " " + collection)
                .isEqualTo(FakeCollection.versions(expected(collection, selection, Set.of(shards)))));
    }

    /** A namespace of a shard. */
    private static String namespaceOf(Shards shards, int shard) {
        return IntStream.range(0, 10_000)
                .mapToObj(i -> "n" + i)
                .filter(name -> shards.of(name, "", null) == shard)
                .findFirst()
                .orElseThrow();
    }

    /** A name in the namespace n that belongs to a shard, as an object's or its owner's. */
    private static String nameOf(Shards shards, int shard) {
        return IntStream.range(0, 10_000)
                .mapToObj(i -> "a" + i)
                .filter(name -> shards.of("n", name, name) == shard)
                .findFirst()
                .orElseThrow();
    }

    private void awaitTold(String... entries) {
        await().untilAsserted(() -> assertThat(log.entries()).containsExactlyInAnyOrder(entries));
    }

    @ParameterizedTest
    @CsvSource({
        "NAMESPACE, true",
        "NAMESPACE, false",
        "NAMESPACE_RANGE, true",
        "NAMESPACE_RANGE, false",
        "NAME, false",
        "UID, true",
        "UID, false"
    })
    void theShardsOfAllReplicasAreEverything(By by, boolean filters) {
        ShardedSelection<V1ConfigMap> selection = selection(16, by, null);
        FakeCollection collection = new FakeCollection(filters ? selection.shards() : null);
        for (int i = 0; i < 600; i++) {
            collection.put("n" + i % 200, "a" + i, null);
        }
        List<ListWatchInformer<V1ConfigMap>> replicas = new ArrayList<>();
        for (int replica = 0; replica < 3; replica++) {
            ListWatchInformer<V1ConfigMap> informer = informer(collection, selection, filters);
            replicas.add(informer);
            informer.run();
            for (int shard = replica; shard < 16; shard += 3) {
                informer.hold(shard);
            }
        }
        await().until(() -> replicas.stream().allMatch(ListWatchInformer::hasSynced));

        Map<String, V1ConfigMap> union = new TreeMap<>();
        replicas.forEach(informer -> union.putAll(held(informer)));
        assertThat(union).isEqualTo(collection.objects());
        assertThat(replicas.stream().mapToInt(informer -> held(informer).size()).sum())
                .isEqualTo(600);
        for (ListWatchInformer<V1ConfigMap> informer : replicas) {
            assertThat(IntStream.range(0, 16).map(informer::size).sum())
                    .isEqualTo(held(informer).size());
            for (int i = 0; i < 16; i++) {
                int shard = i;
                assertThat(informer.list(shard))
                        .hasSize(informer.size(shard))
                        .allMatch(object -> selection.shardOf(object) == shard);
            }
        }
        // A list never holds what is not ours.
        assertThat(collection.mostListed())
                .isLessThanOrEqualTo(replicas.stream()
                        .mapToInt(informer -> held(informer).size())
                        .max()
                        .orElseThrow())
                .isLessThan(600);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aShardThatGoesIsForgottenAndComesBackAsNew(boolean filters) {
        ShardedSelection<V1ConfigMap> selection = selection(4, By.NAMESPACE_RANGE, null);
        FakeCollection collection = new FakeCollection(filters ? selection.shards() : null);
        String first = namespaceOf(selection.shards(), 1);
        String second = namespaceOf(selection.shards(), 2);
        collection.put(first, "a", null);
        collection.put(second, "b", null);
        ListWatchInformer<V1ConfigMap> informer = informer(collection, selection, filters);
        assertThat(informer.hasSynced()).isFalse();
        informer.run();
        assertThat(informer.hasSynced()).isTrue();
        assertThat(collection.lists()).isEmpty();

        informer.hold(1);
        informer.hold(2);
        awaitSame(informer, collection, selection, 1, 2);
        awaitTold("initial a", "initial b");
        informer.drop(2);
        awaitSame(informer, collection, selection, 1);
        collection.put(second, "b", null);
        collection.put(first, "a", null);
        awaitSame(informer, collection, selection, 1);
        assertThat(informer.list(2)).isEmpty();
        assertThat(informer.size(1)).isEqualTo(1);
        assertThat(informer.size(2)).isZero();
        informer.hold(2);
        awaitSame(informer, collection, selection, 1, 2);

        awaitTold("initial a", "initial b", "updated a", "initial b");
        assertThat(informer.status().resource()).isEqualTo("configmaps/v1 (2 of 4 shards)");
        informer.drop(1);
        informer.drop(2);
        assertThat(held(informer)).isEmpty();
        await().until(() -> collection.watches().isEmpty());
        assertThat(informer.hasSynced()).isTrue();
    }

    @Test
    void whoHoldsAShardIsCounted() {
        ShardedSelection<V1ConfigMap> selection = selection(4, By.NAME, null);
        FakeCollection collection = new FakeCollection(null);
        collection.put("n", nameOf(selection.shards(), 3), null);
        ListWatchInformer<V1ConfigMap> informer = informer(collection, selection, false);
        // Before it runs, too.
        informer.hold(3);
        informer.run();
        informer.hold(3);
        awaitSame(informer, collection, selection, 3);

        informer.drop(3);
        assertThat(held(informer)).hasSize(1);
        informer.drop(3);
        assertThat(held(informer)).isEmpty();

        assertThatThrownBy(() -> informer.drop(3)).hasMessage("shard 3 of configmaps/v1 is not held");
        assertThatThrownBy(() -> informer.hold(4)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void tellsWhenAShardIsFilledUnlessItIsDropped() {
        ShardedSelection<V1ConfigMap> selection = selection(4, By.NAME, null);
        FakeCollection collection = new FakeCollection(null);
        ListWatchInformer<V1ConfigMap> informer = informer(collection, selection, false);
        informer.run();
        List<String> told = new ArrayList<>();
        informer.hold(1);
        await().until(informer::hasSynced);
        collection.holdLists(MORE);
        informer.hold(2);
        informer.hold(3);
        informer.whenFilled(1, () -> told.add("1"));
        informer.whenFilled(2, () -> told.add("2"));
        informer.whenFilled(3, () -> told.add("3"));
        assertThat(told).containsExactly("1");
        assertThat(informer.hasSynced()).isFalse();
        informer.drop(2);
        informer.hold(2);
        collection.releaseLists(MORE);

        await().until(informer::hasSynced);
        assertThat(told).containsExactly("1", "3");
    }

    @Test
    void theStatusSaysWhyAShardIsNotFilled() {
        ShardedSelection<V1ConfigMap> selection = selection(4, By.NAME, null);
        FakeCollection collection = new FakeCollection(null);
        ListWatchInformer<V1ConfigMap> informer = informer(collection, selection, false);
        informer.run();
        informer.hold(1);
        await().until(() -> informer.hasSynced() && informer.status().connected());
        collection.refuseLists(MORE);
        informer.hold(2);

        await().untilAsserted(() -> assertThat(informer.status().lastError()).contains("refused on purpose"));
        assertThat(informer.status().synced()).isFalse();
        assertThat(informer.status().connected()).isTrue();
        assertThat(informer.status().reflectors()).hasSize(1);
        collection.releaseLists(MORE);
        await().until(() -> {
            time.advance(Duration.ofSeconds(1));
            return informer.hasSynced();
        });
        assertThat(informer.status().lastError()).isNull();
    }

    @Test
    void aListThatIsNewerThanTheWatchIsNotUndoneByIt() {
        ShardedSelection<V1ConfigMap> selection = selection(4, By.NAME, ResourceTypes.DEPLOYMENT);
        FakeCollection collection = new FakeCollection(null);
        String one = nameOf(selection.shards(), 1);
        String two = nameOf(selection.shards(), 2);
        collection.put("n", "held", one);
        collection.put("n", "old", two);
        collection.put("n", "moves", one);
        ListWatchInformer<V1ConfigMap> informer = informer(collection, selection, false);
        informer.run();
        informer.hold(1);
        awaitSame(informer, collection, selection, 1);
        collection.holdWatch(COMMON);
        collection.put("n", "new", two);
        collection.put("n", "new", two);
        collection.put("n", "brief", two);
        collection.delete("n", "brief");
        collection.delete("n", "old");
        collection.put("n", "old", two);
        collection.put("n", "moves", two);
        collection.delete("n", "moves");
        collection.delete("n", "held");
        informer.hold(2);
        await().until(informer::hasSynced);
        assertThat(informer.list(2))
                .extracting(object -> object.getMetadata().getName())
                .containsExactlyInAnyOrder("new", "old");

        collection.releaseWatch(COMMON);
        awaitSame(informer, collection, selection, 1, 2);

        awaitTold(
                "initial held",
                "initial moves",
                "initial new",
                "initial old",
                "updated moves",
                "deleted held",
                "deleted moves");
    }

    /** It has the first shard, and lists the second, of which the answer is held back. */
    private ListWatchInformer<V1ConfigMap> listingTheSecondShard(
            FakeCollection collection, ShardedSelection<V1ConfigMap> selection) {
        ListWatchInformer<V1ConfigMap> informer = informer(collection, selection, false);
        informer.run();
        informer.hold(1);
        // There may be nothing of it, which is so before anything has been listed as well.
        await().until(informer::hasSynced);
        awaitSame(informer, collection, selection, 1);
        collection.holdLists(MORE);
        informer.hold(2);
        await().until(() -> collection.lists().size() == 2);
        return informer;
    }

    @Test
    void aListThatIsOlderThanTheWatchBringsNothingBack() {
        ShardedSelection<V1ConfigMap> selection = selection(4, By.NAME, ResourceTypes.DEPLOYMENT);
        FakeCollection collection = new FakeCollection(null);
        String one = nameOf(selection.shards(), 1);
        String two = nameOf(selection.shards(), 2);
        collection.put("n", "held", one);
        collection.put("n", "gone", two);
        collection.put("n", "left", two);
        collection.put("n", "changed", two);
        ListWatchInformer<V1ConfigMap> informer = listingTheSecondShard(collection, selection);
        collection.delete("n", "gone");
        collection.put("n", "left", nameOf(selection.shards(), 3));
        collection.put("n", "changed", two);
        collection.put("n", "held", one);
        await().until(() -> informer.lastSyncResourceVersion().equals(Long.toString(collection.version())));
        collection.releaseLists(MORE);
        await().until(informer::hasSynced);

        awaitSame(informer, collection, selection, 1, 2);
        awaitTold("initial held", "created changed", "updated held");
    }

    /** Of objects that cannot have been of the shard nothing is noted. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aListBeginsAgainOnceTooManyObjectsHaveGoneMeanwhile(boolean owned) {
        ShardedSelection<V1ConfigMap> selection = selection(4, By.NAME, owned ? ResourceTypes.DEPLOYMENT : null);
        FakeCollection collection = new FakeCollection(null);
        String two = nameOf(selection.shards(), 2);
        String three = nameOf(selection.shards(), 3);
        collection.put("n", two, two);
        ListWatchInformer<V1ConfigMap> informer = listingTheSecondShard(collection, selection);
        IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "b" + i)
                .filter(name -> selection.shards().of("n", name, null) == 3)
                .limit(ShardPartition.MOST_GONE)
                .forEach(name -> collection.put("n", name, three));
        // Gone from the shard, in two ways.
        if (owned) {
            collection.put("n", two, three);
        } else {
            collection.delete("n", two);
        }
        String last = Long.toString(collection.version());
        await().until(() -> informer.lastSyncResourceVersion().equals(last));
        if (owned) {
            await().until(() -> collection.lists().size() == 3);
            assertThat(collection.lists().get(2)).isEqualTo(MORE + " " + last);
        }
        collection.releaseLists(MORE);

        await().until(informer::hasSynced);
        awaitSame(informer, collection, selection, 1, 2);
        assertThat(collection.lists()).hasSize(owned ? 3 : 2);
    }

    @Test
    void whatHasMovedToAShardThatIsDroppedMeanwhileDoesNotComeBack() {
        ShardedSelection<V1ConfigMap> selection = selection(4, By.UID, ResourceTypes.DEPLOYMENT);
        FakeCollection collection = new FakeCollection(null);
        collection.put("n", "a", nameOf(selection.shards(), 2));
        ListWatchInformer<V1ConfigMap> informer = listingTheSecondShard(collection, selection);
        collection.put("n", "a", nameOf(selection.shards(), 1));
        await().until(() -> held(informer).containsKey("n/a"));
        informer.drop(1);
        collection.releaseLists(MORE);

        await().until(informer::hasSynced);
        assertThat(held(informer)).isEmpty();
    }

    @Test
    void anObjectMovesBetweenShardsWithItsOwner() {
        ShardedSelection<V1ConfigMap> selection = selection(4, By.UID, ResourceTypes.DEPLOYMENT);
        FakeCollection collection = new FakeCollection(null);
        String ours = nameOf(selection.shards(), 1);
        String theirs = nameOf(selection.shards(), 2);
        collection.put("n", "a", ours);
        collection.put("n", "b", theirs);
        collection.put("n", "free", null);
        ListWatchInformer<V1ConfigMap> informer = informer(collection, selection, true);
        informer.run();
        informer.hold(1);
        awaitSame(informer, collection, selection, 1);
        awaitTold("initial a", "initial free");
        // The API server's filter knows no owners.
        assertThat(probes).hasValue(0);
        assertThat(informer.list(1)).hasSize(1);

        collection.put("n", "a", theirs);
        collection.put("n", "b", ours);
        collection.put("n", "free", theirs);
        collection.put("n", "free", null);
        awaitSame(informer, collection, selection, 1);

        awaitTold("initial a", "initial free", "deleted a", "created b", "deleted free", "created free");
        // In the last state that was ours.
        ResourceEvent<V1ConfigMap> left = log.events().stream()
                .filter(event -> event instanceof ResourceEvent.Deleted<V1ConfigMap>)
                .findFirst()
                .orElseThrow();
        assertThat(selection.shardOf(left.object())).isEqualTo(1);
        // What belongs to no shard goes with the last one.
        informer.hold(3);
        informer.drop(1);
        awaitSame(informer, collection, selection, 3);
        assertThat(held(informer)).containsOnlyKeys("n/free");
        informer.drop(3);
        assertThat(held(informer)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aListAfter410TellsOfWhatIsGoneAndOurs(boolean filters) {
        ShardedSelection<V1ConfigMap> selection = selection(4, By.NAMESPACE_RANGE, null);
        FakeCollection collection = new FakeCollection(filters ? selection.shards() : null);
        String first = namespaceOf(selection.shards(), 1);
        String second = namespaceOf(selection.shards(), 2);
        String third = namespaceOf(selection.shards(), 3);
        for (String namespace : List.of(first, second, third)) {
            collection.put(namespace, "stays-" + namespace, null);
            collection.put(namespace, "goes-" + namespace, null);
        }
        ListWatchInformer<V1ConfigMap> informer = informer(collection, selection, filters);
        informer.run();
        informer.hold(1);
        informer.hold(2);
        awaitSame(informer, collection, selection, 1, 2);
        List<String> titles = filters ? List.of("shard 1 of 4", "shard 2 of 4") : List.of(COMMON);
        titles.forEach(collection::holdWatch);
        List.of(first, second, third).forEach(namespace -> collection.delete(namespace, "goes-" + namespace));
        collection.expire();

        awaitSame(informer, collection, selection, 1, 2);
        awaitTold(
                "initial stays-" + first,
                "initial goes-" + first,
                "initial stays-" + second,
                "initial goes-" + second,
                "vanished goes-" + first,
                "vanished goes-" + second);
    }

    @Test
    void aShardThatComesWhileAllIsReadAgainIsListedAfterThat() {
        ShardedSelection<V1ConfigMap> selection = selection(4, By.NAME, null);
        FakeCollection collection = new FakeCollection(null);
        for (int shard = 0; shard < 4; shard++) {
            collection.put("n", nameOf(selection.shards(), shard), null);
        }
        ListWatchInformer<V1ConfigMap> informer = informer(collection, selection, false);
        collection.holdLists(COMMON);
        informer.run();
        informer.hold(0);
        await().until(() -> collection.lists().size() == 1);
        informer.hold(1);
        informer.hold(2);
        // Comes and goes and comes: the list under way has left out some of it.
        informer.drop(0);
        informer.hold(0);
        collection.releaseLists(COMMON);

        awaitSame(informer, collection, selection, 0, 1, 2);
        assertThat(collection.lists()).containsExactly(COMMON + " 0", MORE + " " + informer.lastSyncResourceVersion());
    }

    /** Mixed hashes are no range of the API server's. */
    @ParameterizedTest
    @EnumSource(names = {"NAMESPACE", "NAME"})
    void theApiServerIsNotAskedForWhatItCannotFilter(By by) {
        ShardedSelection<V1ConfigMap> selection = selection(4, by, null);
        FakeCollection collection = new FakeCollection(null);
        ListWatchInformer<V1ConfigMap> informer = informer(collection, selection, Set.of(), (namespace, told) -> {
            throw new AssertionError("asked");
        });
        informer.run();
        informer.hold(1);

        await().until(informer::hasSynced);
        assertThat(collection.lists()).containsExactly(COMMON + " 0");
    }

    @Test
    void theApiServerIsAskedWithoutAnybodyWaiting() {
        ShardedSelection<V1ConfigMap> selection = selection(4, By.NAMESPACE_RANGE, null);
        FakeCollection collection = new FakeCollection(selection.shards());
        collection.put(namespaceOf(selection.shards(), 1), "a", null);
        List<Consumer<Boolean>> questions = new ArrayList<>();
        ListWatchInformer<V1ConfigMap> informer =
                informer(collection, selection, Set.of(), (namespace, told) -> questions.add(told));
        informer.run();
        informer.hold(1);
        informer.drop(1);
        informer.hold(1);
        informer.hold(2);
        assertThat(questions).hasSize(2);

        // The answer to a question that nobody asks any more.
        questions.get(0).accept(false);
        assertThat(collection.lists()).isEmpty();
        questions.get(1).accept(true);

        await().until(informer::hasSynced);
        awaitSame(informer, collection, selection, 1, 2);
        assertThat(collection.lists()).containsExactlyInAnyOrder("shard 1 of 4 0", "shard 2 of 4 0");
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void certainNamespacesAreDividedAsWell(By by) {
        ShardedSelection<V1ConfigMap> selection = selection(4, by, null);
        FakeCollection collection = new FakeCollection(selection.shards());
        Set<String> namespaces = new HashSet<>();
        for (int i = 0; i < 12; i++) {
            collection.put("n" + i, "a", null);
            collection.put("n" + i, "b" + i, null);
            if (i < 6) {
                namespaces.add("n" + i);
            }
        }
        ListWatchInformer<V1ConfigMap> informer =
                informer(collection, selection, Set.copyOf(namespaces), (namespace, told) -> told.accept(true));
        informer.run();
        IntStream.range(0, 3).forEach(informer::hold);
        await().until(informer::hasSynced);

        Map<String, V1ConfigMap> expected = expected(collection, selection, Set.of(0, 1, 2));
        expected.values()
                .removeIf(object -> !namespaces.contains(object.getMetadata().getNamespace()));
        assertThat(held(informer)).isEqualTo(expected).isNotEmpty();
        informer.drop(1);
        expected.values().removeIf(object -> selection.shardOf(object) == 1);
        assertThat(held(informer)).isEqualTo(expected).isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anObjectThatIsMadeAgainWithAUidOfAnotherShardCounts(boolean newFirst) {
        ShardedSelection<V1ConfigMap> selection = selection(2, By.UID, null);
        FakeCollection collection = new FakeCollection(selection.shards());
        V1ConfigMap before = collection.put("n", "a", null);
        int shard = selection.shardOf(before);
        ListWatchInformer<V1ConfigMap> informer = informer(collection, selection, true);
        informer.run();
        informer.hold(0);
        informer.hold(1);
        awaitSame(informer, collection, selection, 0, 1);
        await().until(() -> collection.watches().size() == 2);
        String oldTitle = "shard " + shard + " of 2";
        String newTitle = "shard " + (1 - shard) + " of 2";
        collection.holdWatch(newFirst ? oldTitle : newTitle);
        collection.put("n", "a", null);
        collection.delete("n", "a");
        while (selection.shardOf(collection.put("n", "a", null)) == shard) {
            collection.delete("n", "a");
        }
        if (newFirst) {
            awaitSame(informer, collection, selection, 0, 1);
        } else {
            await().until(() -> held(informer).isEmpty());
        }
        collection.releaseWatch(oldTitle);
        collection.releaseWatch(newTitle);
        V1ConfigMap last = Objects.requireNonNull(collection.objects().get("n/a"));
        collection.put("n", "z" + last.getMetadata().getUid(), null);

        awaitSame(informer, collection, selection, 0, 1);
        await().untilAsserted(() ->
                assertThat(replay(log.events())).isEqualTo(collection.objects().keySet()));
    }

    @Test
    void metersStayBoundedAndUnique() {
        ShardedSelection<V1ConfigMap> selection = selection(4, By.NAMESPACE_RANGE, null);
        FakeCollection collection = new FakeCollection(selection.shards());
        ListWatchInformer<V1ConfigMap> filtered = informer(collection, selection, true);
        ListWatchInformer<V1ConfigMap> common = informer(collection, selection, false);
        filtered.run();
        common.run();
        for (int round = 0; round < 3; round++) {
            for (ListWatchInformer<V1ConfigMap> informer : List.of(filtered, common)) {
                informer.hold(1);
                await().until(informer::hasSynced);
                informer.hold(2);
                await().until(informer::hasSynced);
            }
            assertThat(registry.find("reflector.watches").meters())
                    .extracting(meter -> meter.getId().getTag("name"))
                    .containsExactlyInAnyOrder(
                            "configmaps, shard 1 of 4", "configmaps, shard 2 of 4", "configmaps, some shards");
            for (ListWatchInformer<V1ConfigMap> informer : List.of(filtered, common)) {
                informer.drop(1);
                informer.drop(2);
            }
            assertThat(registry.find("reflector.watches").meters()).isEmpty();
        }
        assertThat(registry.find("informer.objects").meters())
                .extracting(meter -> meter.getId().getTags())
                .containsExactlyInAnyOrder(
                        List.of(Tag.of("name", "configmaps")), List.of(Tag.of("name", "configmaps-2")));
    }

    /** What subscribers know of in the end; fails if they were told something that makes no sense. */
    private static Set<String> replay(List<ResourceEvent<V1ConfigMap>> events) {
        Map<String, V1ConfigMap> known = new HashMap<>();
        for (ResourceEvent<V1ConfigMap> event : events) {
            String key = IndexedStore.key(event.object());
            V1ConfigMap before = known.get(key);
            if (event instanceof ResourceEvent.Created<V1ConfigMap>) {
                assertThat(before).as("created %s", key).isNull();
                known.put(key, event.object());
            } else if (event instanceof ResourceEvent.Updated<V1ConfigMap>) {
                assertThat(before).as("updated %s", key).isNotNull();
                assertThat(number(event.object())).isGreaterThan(number(Objects.requireNonNull(before)));
                known.put(key, event.object());
            } else {
                assertThat(before).as("deleted %s", key).isNotNull();
                known.remove(key);
            }
        }
        return known.keySet();
    }

    private static long number(V1ConfigMap object) {
        return Long.parseLong(Objects.requireNonNull(object.getMetadata().getResourceVersion()));
    }

    /** Shards that come at any moment, of a collection that changes, from a watch that lags and lists that are late. */
    @ParameterizedTest
    @CsvSource({"NAME, false", "UID, false", "UID, true", "NAMESPACE, false", "NAMESPACE_RANGE, true"})
    void whateverHappensNobodyIsToldNonsense(By by, boolean filters) {
        for (int seed = 0; seed < 20; seed++) {
            Random random = new Random(seed);
            ResourceType<?> owner = filters ? null : ResourceTypes.DEPLOYMENT;
            ShardedSelection<V1ConfigMap> selection = selection(8, by, owner);
            FakeCollection collection = new FakeCollection(filters ? selection.shards() : null);
            EventLog<V1ConfigMap> told = new EventLog<>();
            ListWatchInformer<V1ConfigMap> informer = informer(collection, selection, filters);
            informer.subscribe("replayed", told, Duration.ZERO);
            informer.run();
            List<String> titles = new ArrayList<>(List.of(COMMON, MORE));
            IntStream.range(0, 8).forEach(shard -> titles.add("shard " + shard + " of 8"));
            Set<Integer> shards = new HashSet<>();
            for (int step = 0; step < 300; step++) {
                String name = "a" + random.nextInt(10);
                String namespace = "n" + random.nextInt(3);
                String title = titles.get(random.nextInt(titles.size()));
                switch (random.nextInt(12)) {
                    case 0 -> {
                        int shard = random.nextInt(8);
                        if (shards.add(shard)) {
                            informer.hold(shard);
                        }
                    }
                    case 1 -> collection.holdWatch(title);
                    case 2, 3 -> collection.releaseWatch(title);
                    case 4 -> collection.holdLists(title);
                    case 5, 6 -> collection.releaseLists(title);
                    case 7, 8 -> collection.delete(namespace, name);
                    default -> collection.put(namespace, name, "o" + random.nextInt(20));
                }
                if (random.nextInt(100) == 0) {
                    collection.expire();
                }
                if (random.nextInt(4) == 0) {
                    Thread.yield();
                }
            }
            titles.forEach(collection::releaseLists);
            titles.forEach(collection::releaseWatch);
            awaitSame(informer, collection, selection, shards.toArray(Integer[]::new));
            await().untilAsserted(() ->
                    assertThat(replay(told.events())).isEqualTo(held(informer).keySet()));
            informer.stop();
        }
    }

    /** The same with shards that go. */
    @ParameterizedTest
    @CsvSource({"NAME, false, false", "UID, false, false", "UID, true, false", "NAME, false, true", "UID, false, true"})
    void whateverHappensWhatIsHeldIsRightInTheEnd(By by, boolean filters, boolean owned) {
        for (int seed = 0; seed < 20; seed++) {
            Random random = new Random(seed);
            ShardedSelection<V1ConfigMap> selection = selection(8, by, owned ? ResourceTypes.DEPLOYMENT : null);
            FakeCollection collection = new FakeCollection(filters ? selection.shards() : null);
            ListWatchInformer<V1ConfigMap> informer = informer(collection, selection, filters);
            informer.run();
            Set<Integer> shards = new HashSet<>();
            for (int step = 0; step < 300; step++) {
                String name = "a" + random.nextInt(10);
                String namespace = "n" + random.nextInt(3);
                int shard = random.nextInt(8);
                switch (random.nextInt(10)) {
                    case 0 -> {
                        if (shards.add(shard)) {
                            informer.hold(shard);
                        }
                    }
                    case 1 -> {
                        if (shards.remove(shard)) {
                            informer.drop(shard);
                            assertThat(informer.list(shard)).isEmpty();
                        }
                    }
                    case 2, 3 -> collection.delete(namespace, name);
                    case 4 -> collection.holdLists(MORE);
                    case 5 -> collection.releaseLists(MORE);
                    case 6 -> Thread.yield();
                    default -> collection.put(namespace, name, owned ? "o" + random.nextInt(20) : null);
                }
                if (random.nextInt(100) == 0) {
                    collection.expire();
                }
            }
            collection.releaseLists(MORE);
            awaitSame(informer, collection, selection, shards.toArray(Integer[]::new));
            await().until(informer::hasSynced);
            informer.stop();
        }
    }
}
