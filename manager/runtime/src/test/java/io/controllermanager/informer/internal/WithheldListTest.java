package io.controllermanager.informer.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.transport.LinesWith;
import io.controllermanager.informer.Selection;
import io.controllermanager.informer.internal.reflector.ReflectorErrors;
import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** An informer and a server that leaves out what others send, or refuses what others grant: versions, watches, rights. */
class WithheldListTest {

    private final String namespace = "ns-" + UUID.randomUUID();
    private final ScriptedServer server = new ScriptedServer();
    private final VirtualTime time = new VirtualTime();
    private final InformerFactory factory = server.informers(time, InformerOptions.DEFAULTS);
    private final HostInformer<V1ConfigMap> informer =
            factory.informer(Selection.of(ResourceTypes.CONFIG_MAP).inNamespaces(Set.of(namespace)));
    private final EventLog<V1ConfigMap> log = new EventLog<>();
    private final Logger logger = (Logger) LoggerFactory.getLogger(ReflectorErrors.class);
    private final ListAppender<ILoggingEvent> lines = LinesWith.text(namespace);

    WithheldListTest() {
        // It has no WatchList.
        server.watchLists(ScriptedServer.status(422, "no such thing"));
        informer.subscribe("test", log, Duration.ZERO);
        logger.addAppender(lines);
    }

    @AfterEach
    void close() {
        logger.detachAppender(lines);
        factory.close();
        server.close();
    }

    private List<String> warnings() {
        return List.copyOf(lines.list).stream()
                .filter(line -> line.getLevel() == Level.WARN)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    private List<String> asked(String kind) {
        return server.requests().stream()
                .filter(request -> ScriptedServer.kind(request).equals(kind))
                .toList();
    }

    private static ScriptedServer.Answer list(String metadata, String items) {
        return ScriptedServer.body("{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\"%s%s}".formatted(metadata, items));
    }

    private String object(String name, String version) {
        return "{\"metadata\":{\"name\":\"%s\",\"namespace\":\"%s\",\"uid\":\"u-%s\",\"resourceVersion\":\"%s\"}}"
                .formatted(name, namespace, name, version);
    }

    private String added(String name, String version) {
        return ScriptedServer.event("ADDED", object(name, version));
    }

    /**
     * Until so many requests of that kind have come, however long the reflector waits between them. Time goes slowly, since
     * requests have time limits too.
     */
    private void awaitAsked(String kind, int times) {
        await().pollInterval(Duration.ofMillis(100)).until(() -> {
            if (asked(kind).size() >= times) {
                return true;
            }
            time.advance(Duration.ofSeconds(1));
            return false;
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ",\"metadata\":{}", ",\"metadata\":{\"resourceVersion\":\"\"}", ",\"metadata\":null"})
    void takesAListWithoutAVersionAndWatchesFromWhateverThereIs(String metadata) {
        String items = ",\"items\":[" + object("a", "5") + "," + object("b", "3") + "]";
        server.lists(list(metadata, items));
        server.watches(server.open(added("a", "5"), added("b", "3"), added("c", "9")));

        informer.run();

        await().until(informer::hasSynced);
        await().untilAsserted(() -> assertThat(log.entries()).containsExactly("initial a", "initial b", "created c"));
        assertThat(asked("list")).hasSize(1);
        assertThat(asked("watch"))
                .containsExactly("watch /api/v1/namespaces/" + namespace
                        + "/configmaps?watch=true&allowWatchBookmarks=true&timeoutSeconds=T");
        assertThat(warnings()).isEmpty();
    }

    /** What has gone between two watches that begin anywhere, no watch tells. */
    @Test
    void listsAgainAfterAWatchThatBeganWithoutAVersion() {
        server.lists(
                list("", ",\"items\":[" + object("a", "5") + "," + object("b", "3") + "]"),
                list("", ",\"items\":[" + object("a", "5") + "]"));
        // In no order of versions: the next watch must not begin at 3.
        server.watches(ScriptedServer.lines(ScriptedServer.event("ADDED", object("a", "5"))));

        informer.run();

        await().untilAsserted(() -> assertThat(log.entries()).containsExactly("initial a", "initial b", "vanished b"));
        await().until(() -> asked("watch").size() == 2);
        assertThat(asked("watch").get(1)).doesNotContain("resourceVersion=");
    }

    @Test
    void goesOnFromAVersionThatIsNoNumber() {
        server.lists(list(",\"metadata\":{\"resourceVersion\":\"v-a\"}", ",\"items\":[" + object("a", "x") + "]"));
        server.watches(
                ScriptedServer.lines(ScriptedServer.event("MODIFIED", object("a", "y/1"))),
                ScriptedServer.lines(ScriptedServer.event("DELETED", object("a", "z"))));

        informer.run();

        await().untilAsserted(() -> assertThat(log.entries()).containsExactly("initial a", "updated a", "deleted a"));
        await().until(() -> asked("watch").size() == 3);
        assertThat(asked("watch").get(0)).contains("resourceVersion=v-a&");
        assertThat(asked("watch").get(1)).contains("resourceVersion=y%2F1&");
        assertThat(asked("watch").get(2)).contains("resourceVersion=z&");
        assertThat(asked("list")).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {",\"items\":null", "", ",\"items\":[]"})
    void aListWithoutItemsIsEmpty(String items) {
        server.lists(list(",\"metadata\":{\"resourceVersion\":\"7\"}", items));

        informer.run();

        await().until(informer::hasSynced);
        assertThat(log.entries()).isEmpty();
    }

    @Test
    void leavesOutWhatHasNoName() {
        server.lists(
                list(
                        ",\"metadata\":{\"resourceVersion\":\"7\"}",
                        ",\"items\":[{},{\"metadata\":{}}," + object("a", "5") + "]"),
                list(
                        ",\"metadata\":{\"resourceVersion\":\"7\"}",
                        ",\"items\":[{},{\"metadata\":{}}," + object("a", "5") + "]"));
        server.watches(server.open(ScriptedServer.event("ADDED", "{\"data\":{}}"), added("b", "9")));

        informer.run();

        await().untilAsserted(() -> assertThat(log.entries()).containsExactly("initial a", "created b"));
    }

    @Test
    void anObjectNeedsNeitherVersionNorUidNorKind() {
        String bare = "{\"metadata\":{\"name\":\"a\",\"namespace\":\"" + namespace + "\"}}";
        server.lists(list("", ",\"items\":[" + bare + "]"));
        server.watches(server.open(ScriptedServer.event("MODIFIED", bare), ScriptedServer.event("DELETED", bare)));

        informer.run();

        await().untilAsserted(() -> assertThat(log.entries()).containsExactly("initial a", "updated a", "deleted a"));
    }

    @Test
    void aPageThatNamesItselfAsTheNextOneIsNotAskedForWithoutEnd() {
        String page = ",\"metadata\":{\"resourceVersion\":\"7\",\"continue\":\"again\"}";
        server.lists(list(page, ",\"items\":[]"), list(page, ",\"items\":[]"), ScriptedServer.list(8));

        informer.run();

        awaitAsked("list", 3);
        await().until(informer::hasSynced);
        assertThat(warnings()).singleElement().asString().contains("a page names itself as the next one");
    }

    @Test
    void saysOnceWhyItCannotListAndAgainWhenTheReasonChanges() {
        for (int i = 0; i < 3; i++) {
            server.lists(ScriptedServer.body(
                    "{\"kind\":\"Status\",\"status\":\"Failure\",\"message\":\"backend 10.0.0.%d is away\"}"
                            .formatted(i)));
        }
        server.lists(
                ScriptedServer.body("<html>log in</html>"),
                ScriptedServer.body("<html>log in</html>"),
                ScriptedServer.status(503, "no endpoints"),
                ScriptedServer.status(503, "no endpoints"),
                ScriptedServer.list(7));

        informer.run();

        awaitAsked("list", 8);
        await().until(informer::hasSynced);
        assertThat(warnings())
                .satisfiesExactly(
                        status -> assertThat(status)
                                .startsWith(
                                        "Informer of configmaps in " + namespace + ": cannot list, and tries again: ")
                                .endsWith("the answer is no list but a Status: backend 10.0.0.0 is away"),
                        html -> assertThat(html).contains("cannot list, and tries again: "),
                        away -> assertThat(away).contains("HTTP 503 R: no endpoints"));
        assertThat(lines.list.get(lines.list.size() - 1).getFormattedMessage()).endsWith("lists and watches again");
    }

    @Test
    void saysThatNoAnswerComesOnceOthersAreAnswered() {
        for (int i = 0; i < 10; i++) {
            // The client may try each of them twice by itself.
            server.lists(exchange -> exchange.close());
        }
        server.lists(ScriptedServer.list(7));

        informer.run();

        awaitAsked("list", 11);
        await().until(informer::hasSynced);
        assertThat(warnings()).singleElement().asString().contains("cannot list, and tries again: ");
    }

    @Test
    void whatDiffersInAnIdAloneIsSaidOnce() {
        server.lists(
                ScriptedServer.status(500, "request 5f3c9e1a-77aa-cafe-b1d0-0a1b2c3d4e5f: Reader@3f2a1b failed"),
                ScriptedServer.status(500, "request beefcafe-11d0-4afe-a1b2-fedcba987654: Reader@c0ffee1 failed"),
                ScriptedServer.list(7));

        informer.run();

        awaitAsked("list", 3);
        await().until(informer::hasSynced);
        assertThat(warnings()).singleElement().asString().contains("cannot list, and tries again: ");
    }

    @Test
    void listsAgainAndAgainWhileItMayNotWatch() {
        server.lists(
                ScriptedServer.list(7, object("a", "5")),
                ScriptedServer.list(8, object("a", "5"), object("b", "8")),
                ScriptedServer.list(9, object("b", "8")),
                ScriptedServer.list(9, object("b", "8")));
        String refusal = "configmaps is forbidden: User \\\"bob\\\" cannot watch resource \\\"configmaps\\\"";
        server.watches(
                ScriptedServer.status(403, refusal),
                ScriptedServer.status(403, refusal),
                ScriptedServer.status(403, refusal),
                server.open(added("c", "10")));

        informer.run();

        await().until(informer::hasSynced);
        await().until(() -> !warnings().isEmpty());
        // No time has passed: it is said at once.
        assertThat(asked("list")).hasSize(1);
        assertThat(informer.obstacles())
                .singleElement()
                .asString()
                .startsWith("missing permission to watch configmaps in namespace " + namespace + ": ")
                .contains("User \"bob\"");
        awaitAsked("watch", 4);
        await().untilAsserted(() ->
                assertThat(log.entries()).containsExactly("initial a", "created b", "vanished a", "created c"));
        assertThat(asked("list").get(1)).contains("resourceVersion=7");
        // It is not asked for the initial state in a watch, which would be refused as well.
        assertThat(asked("watch-list")).isEmpty();
        assertThat(warnings())
                .singleElement()
                .asString()
                .contains("missing permission to watch configmaps in namespace " + namespace)
                .contains("User \"bob\"");
        assertThat(informer.obstacles()).isEmpty();
        assertThat(lines.list.get(lines.list.size() - 1).getFormattedMessage()).endsWith("lists and watches again");
    }

    /** So it is with the metrics API. */
    @ParameterizedTest
    @ValueSource(ints = {400, 405, 500, 501, 503})
    void listsAgainWhereThereIsNoWatch(int code) {
        server.lists(list("", ",\"items\":[" + object("a", "1") + "]"), list("", ",\"items\":[]"));
        server.watches(ScriptedServer.status(code, "no watch"), ScriptedServer.status(code, "no watch"));

        informer.run();

        awaitAsked("watch", 2);
        await().untilAsserted(() -> assertThat(log.entries()).containsExactly("initial a", "vanished a"));
    }

    @Test
    void waitsForTheRightToListAndNamesIt() {
        server.lists(ScriptedServer.status(403, "no"), ScriptedServer.status(403, "no"), ScriptedServer.list(7));

        informer.run();

        awaitAsked("list", 3);
        await().until(informer::hasSynced);
        assertThat(warnings())
                .singleElement()
                .asString()
                .contains("missing permission to list configmaps in namespace " + namespace);
    }
}
