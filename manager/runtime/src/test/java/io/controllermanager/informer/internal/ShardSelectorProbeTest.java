package io.controllermanager.informer.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.request.ApiRequests;
import io.controllermanager.informer.Selection;
import io.controllermanager.informer.Shards;
import io.controllermanager.informer.internal.partition.ShardSelectorProbe;
import io.controllermanager.informer.internal.partition.ShardedSelection;
import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.ApiClient;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is asked, and what follows from the answers. */
class ShardSelectorProbeTest {

    private static final String QUESTION = "list /api/v1/configmaps?shardSelector=foo&limit=1";
    private static final String PLAIN = "list /api/v1/configmaps?limit=1";
    private static final String LIST = "list /api/v1/configmaps?limit=500&resourceVersion=0";

    private final ScriptedServer server = new ScriptedServer().withQuestionsInTheScript();
    private final VirtualTime time = new VirtualTime();
    private final InformerFactory factory = server.informers(time, InformerOptions.DEFAULTS.withWatchListFirst(false));

    @AfterEach
    void close() {
        factory.close();
        server.close();
    }

    private <T extends KubernetesObject> HostInformer<T> begin(ResourceType<T> type) {
        HostInformer<T> informer = factory.acquire(
                new ShardedSelection<>(Selection.of(type), new Shards(2, Shards.By.NAMESPACE_RANGE), null));
        informer.run();
        informer.hold(0);
        return informer;
    }

    private <T extends KubernetesObject> HostInformer<T> hold(ResourceType<T> type) {
        HostInformer<T> informer = begin(type);
        await().until(informer::hasSynced);
        return informer;
    }

    /** Once it has asked so often and learnt nothing. */
    private void awaitAgain(int questions) {
        await().until(() -> Collections.frequency(lists(), QUESTION) == questions && time.scheduledTasks() == 1);
    }

    private List<String> lists() {
        return server.requests().stream()
                .filter(request -> ScriptedServer.kind(request).equals("list"))
                .toList();
    }

    @Test
    void aRefusalCountsOnlyWhereTheSameRequestSucceedsWithoutASelector() {
        for (int code : new int[] {400, 422, 500}) {
            assertThat(ShardSelectorProbe.meaning(code, () -> 200)).isTrue();
            for (int plain : new int[] {0, 403, 429, 500, 503}) {
                assertThat(ShardSelectorProbe.meaning(code, () -> plain)).isNull();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 0, 401, 403, 404, 429, 503})
    void whatIsNoRefusalIsNotCompared(int code) {
        assertThat(ShardSelectorProbe.meaning(code, () -> {
                    throw new AssertionError("asked");
                }))
                .isEqualTo(code == 200 ? false : null);
    }

    @ParameterizedTest
    @ValueSource(ints = {500, 400, 422})
    void thatItFiltersHoldsForAllTypesAndForAWhile(int code) {
        server.lists(ScriptedServer.status(code, "no"), ScriptedServer.list(5));
        thatHoldsForAllTypesAndForAWhile(List.of(QUESTION, PLAIN), true);
    }

    @Test
    void thatItDoesNotFilterHoldsForAllTypesAndForAWhile() {
        server.lists(ScriptedServer.list(5));
        thatHoldsForAllTypesAndForAWhile(List.of(QUESTION), false);
    }

    private void thatHoldsForAllTypesAndForAWhile(List<String> questions, boolean filters) {
        int asked = questions.size();
        server.lists(
                ScriptedServer.list(5, ScriptedServer.object("a", 3)),
                ScriptedServer.list(5),
                ScriptedServer.list(5),
                ScriptedServer.list(5));

        HostInformer<?> first = hold(ResourceTypes.CONFIG_MAP);
        assertThat(lists()).hasSize(asked + 1).startsWith(questions.toArray(new String[0]));
        assertThat(lists().get(asked).contains("shardSelector=shardRange%28")).isEqualTo(filters);
        assertThat(lists().get(asked).equals(LIST)).isEqualTo(!filters);
        // Filtered here as well, whatever the server does.
        assertThat(first.getIndexer().listKeys().isEmpty())
                .isEqualTo(new Shards(2, Shards.By.NAMESPACE_RANGE).of("n", "a", null) != 0);

        hold(ResourceTypes.SECRET);
        assertThat(lists()).hasSize(asked + 2);
        time.advance(ShardSelectorProbe.KEPT.plus(Duration.ofSeconds(1)));
        first.drop(0);
        first.hold(0);
        await().until(() -> Collections.frequency(lists(), QUESTION) == 2);
    }

    @ParameterizedTest
    @ValueSource(ints = {401, 403, 404, 429, 500, 503})
    void whoLearnsNothingAsksAgain(int code) {
        server.lists(ScriptedServer.status(code, "no"));
        if (code == 500) {
            server.lists(ScriptedServer.status(code, "the conversion webhook is not up"));
        }
        server.lists(ScriptedServer.status(500, "no"), ScriptedServer.list(5), ScriptedServer.list(5));

        HostInformer<?> informer = begin(ResourceTypes.CONFIG_MAP);
        awaitAgain(1);
        assertThat(informer.hasSynced()).isFalse();
        time.advance(ShardSelectorProbe.AGAIN);

        await().until(informer::hasSynced);
        assertThat(lists().get(lists().size() - 1)).contains("shardSelector=shardRange%28");
        assertThat(lists()).hasSize(code == 500 ? 5 : 4);
    }

    @Test
    void whoLearnsNothingForSecondsTakesItForANoThatIsNotKept() {
        for (int i = 0; i < 6; i++) {
            server.lists(ScriptedServer.status(503, "no"));
        }
        server.lists(
                ScriptedServer.list(5),
                ScriptedServer.status(500, "no"),
                ScriptedServer.list(5),
                ScriptedServer.list(5));
        HostInformer<?> informer = begin(ResourceTypes.CONFIG_MAP);
        for (int asked = 1; asked <= 5; asked++) {
            awaitAgain(asked);
            time.advance(ShardSelectorProbe.AGAIN);
        }

        await().until(informer::hasSynced);
        assertThat(lists()).hasSize(7).endsWith(LIST);
        hold(ResourceTypes.SECRET);
        assertThat(lists().get(7)).isEqualTo(QUESTION.replace("configmaps", "secrets"));
        assertThat(lists().get(9)).contains("shardSelector=shardRange%28");
    }

    @Test
    void whateverFailsIsTold() {
        List<Boolean> told = new CopyOnWriteArrayList<>();
        try (ShardSelectorProbe probe = new ShardSelectorProbe(new ApiRequests(new ApiClient()), time, time)) {
            probe.ask(
                    (watch, version) -> {
                        throw new IllegalStateException("on purpose");
                    },
                    told::add);
            await().until(() -> !told.isEmpty());
        }

        assertThat(told).containsExactly(false);
        assertThat(time.scheduledTasks()).isZero();
    }

    @Test
    void aServerThatSaysNothingKeepsNobodyWaiting() {
        server.lists(server.hang());
        HostInformer<?> informer = factory.acquire(new ShardedSelection<>(
                Selection.of(ResourceTypes.CONFIG_MAP), new Shards(2, Shards.By.NAMESPACE_RANGE), null));
        informer.run();

        informer.hold(0);

        await().until(() -> lists().equals(List.of(QUESTION)));
        assertThat(informer.hasSynced()).isFalse();
        factory.close();
        await().until(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().equals("informer-shard-selector-probe")));
    }
}
