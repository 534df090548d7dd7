package io.controllermanager.informer.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.client.ResourceTypes;
import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The initial state as one stream, from a server that may have it or not. */
class WatchListTest {

    private final ScriptedServer server = new ScriptedServer();
    private final HostInformer<V1ConfigMap> informer = server.informers().informer(ResourceTypes.CONFIG_MAP);
    private final EventLog<V1ConfigMap> log = new EventLog<>();

    @BeforeEach
    void subscribe() {
        informer.subscribe("test", log, Duration.ZERO);
    }

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void readsTheInitialStateAndWhatFollowsFromOneStream() {
        server.watchLists(server.open(
                ScriptedServer.added("a", 5),
                ScriptedServer.added("b", 3),
                ScriptedServer.end(7),
                ScriptedServer.added("c", 8)));

        informer.run();

        await().untilAsserted(() -> assertThat(log.entries()).containsExactly("initial a", "initial b", "created c"));
        assertThat(server.requests())
                .containsExactly("watch-list /api/v1/configmaps?watch=true&allowWatchBookmarks=true&timeoutSeconds=T"
                        + "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan");
        await().until(() -> informer.lastSyncResourceVersion().equals("8"));
        assertThat(informer.status().lists()).isEqualTo(1);
        assertThat(informer.status().watches()).isEqualTo(1);
    }

    @Test
    void goesOnWithAPlainWatchWhereTheStreamEnds() {
        server.watchLists(ScriptedServer.lines(ScriptedServer.added("a", 5), ScriptedServer.end(7)));

        informer.run();

        await().until(() -> server.requests().size() == 2);
        assertThat(server.requests().get(1)).startsWith("watch ").contains("resourceVersion=7&");
        await().untilAsserted(() -> assertThat(log.entries()).containsExactly("initial a"));
    }

    @Test
    void showsNothingBeforeAllIsThere() {
        server.watchLists(server.open(ScriptedServer.added("a", 5), ScriptedServer.added("b", 3)));

        informer.run();

        await().until(() -> informer.status().connected());
        assertThat(informer.hasSynced()).isFalse();
        assertThat(informer.getIndexer().list()).isEmpty();
    }

    @Test
    void takesInWhatChangesWhileTheInitialStateIsSent() {
        server.watchLists(server.open(
                ScriptedServer.added("a", 5),
                ScriptedServer.added("b", 3),
                ScriptedServer.event("MODIFIED", ScriptedServer.object("a", 8)),
                ScriptedServer.event("DELETED", ScriptedServer.object("b", 9)),
                ScriptedServer.end(9)));

        informer.run();

        await().untilAsserted(() -> assertThat(log.entries()).containsExactly("initial a"));
        assertThat(informer.getIndexer().getByKey("n/a").getData()).containsEntry("k", "v8");
    }

    @Test
    void servesTheOldStateWhileANewOneIsSentAndTellsDifferences() {
        server.watchLists(
                ScriptedServer.lines(
                        ScriptedServer.added("same", 1),
                        ScriptedServer.added("changed", 2),
                        ScriptedServer.added("gone", 3),
                        ScriptedServer.end(7)),
                server.openThen(
                        new String[] {ScriptedServer.added("same", 1), ScriptedServer.added("changed", 21)},
                        new String[] {ScriptedServer.added("new", 22), ScriptedServer.end(30)}));
        server.watches(ScriptedServer.lines(ScriptedServer.gone()));

        informer.run();

        await().until(() -> server.requests().size() == 3);
        assertThat(server.requests().get(2)).startsWith("watch-list ").doesNotContain("&resourceVersion=");
        assertThat(informer.getIndexer().listKeys()).containsExactlyInAnyOrder("n/same", "n/changed", "n/gone");
        assertThat(informer.hasSynced()).isTrue();
        assertThat(log.entries()).hasSize(3);
        server.proceed();
        await().untilAsserted(() ->
                assertThat(log.entries()).hasSize(6).endsWith("updated changed", "created new", "vanished gone"));
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 422})
    void listsForGoodWhereThereIsNoSuchThing(int code) {
        server.watchLists(ScriptedServer.status(code, "no such thing"));
        server.lists(ScriptedServer.list(7, ScriptedServer.object("a", 5)), ScriptedServer.list(9));
        server.watches(ScriptedServer.lines(ScriptedServer.gone()));

        informer.run();

        await().untilAsserted(() -> assertThat(log.entries()).containsExactly("initial a", "vanished a"));
        await().until(() -> server.requests().size() == 5);
        assertThat(server.requests().stream().map(ScriptedServer::kind))
                .containsExactly("watch-list", "list", "watch", "list", "watch");
        assertThat(informer.status().lists()).isEqualTo(2);
    }

    @Test
    void listsThisOnceAfterAServerError() {
        server.watchLists(
                ScriptedServer.status(500, "no"), server.open(ScriptedServer.added("a", 5), ScriptedServer.end(9)));
        server.lists(ScriptedServer.list(7, ScriptedServer.object("a", 5)));
        server.watches(ScriptedServer.lines(ScriptedServer.gone()));

        informer.run();

        await().until(() -> informer.lastSyncResourceVersion().equals("9"));
        assertThat(server.requests().stream().map(ScriptedServer::kind))
                .containsExactly("watch-list", "list", "watch", "watch-list");
    }

    @Test
    void listsThisOnceWhereTheStreamEndsTooEarly() {
        server.watchLists(ScriptedServer.lines(ScriptedServer.added("a", 5)));
        server.lists(ScriptedServer.list(7, ScriptedServer.object("b", 6)));

        informer.run();

        await().untilAsserted(() -> assertThat(log.entries()).containsExactly("initial b"));
    }

    @Test
    void listsWhereABookmarkComesBeforeTheEndOfTheInitialState() {
        server.watchLists(server.open(
                ScriptedServer.added("a", 5),
                ScriptedServer.event("BOOKMARK", "{\"metadata\":{\"resourceVersion\":\"7\"}}")));
        server.lists(ScriptedServer.list(7, ScriptedServer.object("a", 5)));

        informer.run();

        await().untilAsserted(() -> assertThat(log.entries()).containsExactly("initial a"));
    }

    @Test
    void listsThisOnceWhereNothingSaysThatTheInitialStateHasEnded() {
        VirtualTime time = new VirtualTime();
        server.watchLists(
                server.open(ScriptedServer.added("a", 5)),
                server.open(ScriptedServer.added("a", 5), ScriptedServer.end(9)));
        server.lists(ScriptedServer.list(7, ScriptedServer.object("a", 5)));
        server.watches(ScriptedServer.lines(ScriptedServer.gone()));
        try (InformerFactory timed = server.informers(time)) {
            HostInformer<V1ConfigMap> waiting = timed.informer(ResourceTypes.CONFIG_MAP);
            waiting.run();
            await().until(() -> time.scheduledDelays().contains(Duration.ofSeconds(15)));

            // No further: the watch that follows has its own time to open.
            time.advance(Duration.ofSeconds(15));

            await().until(waiting::hasSynced);
            await().until(() -> waiting.lastSyncResourceVersion().equals("9"));
        }
        assertThat(server.requests().stream().map(ScriptedServer::kind))
                .containsExactly("watch-list", "list", "watch", "watch-list");
    }

    @Test
    void waitsAsLongAsAskedBeforeTheNextTry() {
        VirtualTime time = new VirtualTime();
        server.watchLists(
                ScriptedServer.turnedAway(20), server.open(ScriptedServer.added("a", 5), ScriptedServer.end(9)));
        try (InformerFactory timed = server.informers(time)) {
            HostInformer<V1ConfigMap> waiting = timed.informer(ResourceTypes.CONFIG_MAP);
            waiting.run();

            await().until(() -> waiting.status().lastError() != null);
            await().until(() -> Duration.ofSeconds(20).equals(time.untilNextTask()));
            time.advance(Duration.ofSeconds(20));
            await().until(waiting::hasSynced);
        }
    }

    @Test
    void triesAnewWhereAWatchDoesNotOpen() {
        VirtualTime time = new VirtualTime();
        server.watchLists(server.hang(), server.open(ScriptedServer.added("a", 5), ScriptedServer.end(9)));
        try (InformerFactory timed = server.informers(time)) {
            HostInformer<V1ConfigMap> waiting = timed.informer(ResourceTypes.CONFIG_MAP);
            waiting.run();
            await().until(() -> server.requests().size() == 1);

            time.advance(Duration.ofSeconds(5));

            await().until(waiting::hasSynced);
            assertThat(server.requests()).hasSize(2);
        }
    }
}
