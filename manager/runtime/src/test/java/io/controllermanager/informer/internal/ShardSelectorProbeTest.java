package io.controllermanager.informer.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.informer.Selection;
import io.controllermanager.informer.Shards;
import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.common.KubernetesObject;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is asked, and what follows from the answers. */
class ShardSelectorProbeTest {

    private static final String QUESTION = "list /api/v1/configmaps?shardSelector=foo&limit=1";
    private static final String LIST = "list /api/v1/configmaps?limit=500&resourceVersion=0";

    private final ScriptedServer server = new ScriptedServer();
    private final VirtualTime time = new VirtualTime();
    private final InformerFactory factory = server.informers(time, InformerOptions.DEFAULTS.withWatchListFirst(false));

    @AfterEach
    void close() {
        factory.close();
        server.close();
    }

    private <T extends KubernetesObject> ShardedInformer<T> hold(ResourceType<T> type) {
        ShardedInformer<T> informer =
                factory.acquire(new ShardedSelection<>(Selection.of(type), new Shards(2, Shards.By.NAMESPACE), null));
        informer.run();
        informer.hold(0);
        await().until(informer::hasSynced);
        return informer;
    }

    private List<String> lists() {
        return server.requests().stream()
                .filter(request -> ScriptedServer.kind(request).equals("list"))
                .toList();
    }

    @ParameterizedTest
    @CsvSource({"500, true", "400, true", "422, true", "200, false"})
    void anAnswerHoldsForAllTypesAndForAWhile(int code, boolean filters) {
        server.lists(
                code == 200 ? ScriptedServer.list(5) : ScriptedServer.status(code, "no"),
                ScriptedServer.list(5, ScriptedServer.object("a", 3)),
                ScriptedServer.list(5),
                ScriptedServer.list(5),
                ScriptedServer.list(5));

        ShardedInformer<?> first = hold(ResourceTypes.CONFIG_MAP);
        assertThat(lists()).hasSize(2).first().isEqualTo(QUESTION);
        assertThat(lists().get(1).contains("shardSelector=shardRange%28")).isEqualTo(filters);
        assertThat(lists().get(1).equals(LIST)).isEqualTo(!filters);
        // Filtered here as well, whatever the server does.
        assertThat(first.getIndexer().listKeys().isEmpty())
                .isEqualTo(new Shards(2, Shards.By.NAMESPACE).of("n", "a", null) != 0);

        hold(ResourceTypes.SECRET);
        assertThat(lists()).hasSize(3);
        time.advance(ShardSelectorProbe.KEPT.plus(Duration.ofSeconds(1)));
        first.drop(0);
        first.hold(0);
        await().until(() -> lists().size() == 5);
        assertThat(lists().get(3)).isEqualTo(QUESTION);
    }

    @ParameterizedTest
    @ValueSource(ints = {401, 403, 404, 429, 503})
    void anErrorCountsAsNoAndIsNotKept(int code) {
        server.lists(
                ScriptedServer.status(code, "no"),
                ScriptedServer.list(5),
                ScriptedServer.status(500, "no"),
                ScriptedServer.list(5));

        hold(ResourceTypes.CONFIG_MAP);
        assertThat(lists()).containsExactly(QUESTION, LIST);
        hold(ResourceTypes.SECRET);

        assertThat(lists().get(2)).isEqualTo(QUESTION.replace("configmaps", "secrets"));
        assertThat(lists().get(3)).contains("shardSelector=shardRange%28");
    }

    @Test
    void aServerThatSaysNothingKeepsNobodyWaiting() {
        server.lists(server.hang());
        ShardedInformer<?> informer = factory.acquire(new ShardedSelection<>(
                Selection.of(ResourceTypes.CONFIG_MAP), new Shards(2, Shards.By.NAMESPACE), null));
        informer.run();

        informer.hold(0);

        await().until(() -> lists().equals(List.of(QUESTION)));
        assertThat(informer.hasSynced()).isFalse();
        factory.close();
        await().until(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().equals("informer-shard-selector-probe")));
    }
}
