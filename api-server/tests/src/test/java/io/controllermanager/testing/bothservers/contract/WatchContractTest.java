package io.controllermanager.testing.bothservers.contract;

import static io.controllermanager.testing.bothservers.contract.Api.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.bothservers.TestedServer;
import io.controllermanager.testing.bothservers.contract.Watching.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class WatchContractTest extends Contract {

    WatchContractTest(TestedServer server) {
        super(server);
    }

    private String since(String version) {
        return configMaps() + "?watch=true&resourceVersion=" + version;
    }

    private String now() {
        return api.get(configMaps()).ok().version();
    }

    @Test
    void tellsOfAdditionsChangesAndDeletions() {
        try (Watching watch = api.watch(since(now()))) {
            Reply created = create("a");
            assertThat(watch.next("ADDED", "a").version()).isEqualTo(created.version());
            api.patch(configMap("a"), Api.MERGE_PATCH, "{'data':{'key':'x'}}").ok();
            Event modified = watch.next("MODIFIED", "a");
            assertThat(modified.object().at("/data/key").asText()).isEqualTo("x");
            api.delete(configMap("a")).ok();
            Event deleted = watch.next("DELETED", "a");
            assertThat(deleted.object().at("/data/key").asText()).isEqualTo("x");
            assertThat(Long.parseLong(deleted.version())).isGreaterThan(Long.parseLong(modified.version()));
        }
    }

    @Test
    void replaysHistory() {
        String start = now();
        create("a");
        create("b");
        api.delete(configMap("a")).ok();
        try (Watching watch = api.watch(since(start))) {
            watch.next("ADDED", "a");
            watch.next("ADDED", "b");
            watch.next("DELETED", "a");
        }
    }

    @Test
    void beginsWithAllObjectsWithoutAVersion() {
        create("a");
        eventually(() ->
                assertThat(api.get(configMaps() + "?resourceVersion=0").names()).contains("a"));
        try (Watching watch = api.watch(configMaps() + "?watch=true")) {
            watch.next("ADDED", "a");
            create("b");
            watch.next("ADDED", "b");
        }
        try (Watching watch = api.watch(since("0"))) {
            watch.next("ADDED", "a");
        }
    }

    @Test
    void saysNothingOfAnUpdateThatChangesNothing() {
        ObjectNode object = (ObjectNode) create("a").body();
        try (Watching watch = api.watch(since(now()))) {
            api.put(configMap("a"), object).ok();
            create("b");
            watch.next("ADDED", "b");
        }
    }

    @Test
    void tellsOfWhatEntersAndLeavesASelection() {
        api.create(configMaps(), newConfigMap("a", "x")).ok();
        try (Watching watch = api.watch(since(now()) + "&labelSelector=app=y")) {
            Reply entered = api.patch(configMap("a"), Api.MERGE_PATCH, "{'metadata':{'labels':{'app':'y'}}}")
                    .ok();
            assertThat(watch.next("ADDED", "a").version()).isEqualTo(entered.version());
            api.patch(configMap("a"), Api.MERGE_PATCH, "{'data':{'k':'v'}}").ok();
            watch.next("MODIFIED", "a");
            Reply left = api.patch(configMap("a"), Api.MERGE_PATCH, "{'metadata':{'labels':{'app':'z'}}}")
                    .ok();
            Event deleted = watch.next("DELETED", "a");
            assertThat(deleted.version()).isEqualTo(left.version());
            assertThat(deleted.object().at("/metadata/labels/app").asText()).isEqualTo("y");
        }
    }

    @Test
    void watchesOneObject() {
        try (Watching watch = api.watch(since(now()) + "&fieldSelector=metadata.name=b")) {
            create("a");
            create("b");
            watch.next("ADDED", "b");
        }
    }

    @Test
    void keepsToItsNamespace() {
        String other = server.createNamespace();
        try (Watching watch = api.watch(since(now()))) {
            api.create("/api/v1/namespaces/" + other + "/configmaps", newConfigMap("x"))
                    .ok();
            create("a");
            watch.next("ADDED", "a");
        }
    }

    @Test
    void watchesAllNamespaces() {
        String other = server.createNamespace();
        try (Watching watch =
                api.watch("/api/v1/configmaps?watch=true&labelSelector=app=everywhere&resourceVersion=" + now())) {
            api.create(configMaps(), newConfigMap("a", "everywhere")).ok();
            api.create("/api/v1/namespaces/" + other + "/configmaps", newConfigMap("b", "everywhere"))
                    .ok();
            watch.next("ADDED", "a");
            watch.next("ADDED", "b");
        }
    }

    @Test
    void endsWhenItsTimeIsOver() {
        assertThat(api.watch(since(now()) + "&timeoutSeconds=1").toEnd()).isEmpty();
    }

    @Test
    void tellsShortlyBeforeItsEndHowFarItHasCome() {
        try (Watching watch = api.watch(since(now()) + "&allowWatchBookmarks=true&timeoutSeconds=5")) {
            // The real server has nothing to say where nothing has happened since the watch began, which "a" tells.
            create("a");
            watch.next("ADDED", "a");
            Reply created = create("b");
            watch.next("ADDED", "b");
            Event bookmark = watch.bookmark();
            assertThat(Long.parseLong(bookmark.version())).isGreaterThanOrEqualTo(Long.parseLong(created.version()));
            assertThat(bookmark.endsInitialEvents()).isFalse();
        }
    }

    @Test
    void startsWithWhatIsThereAndSaysThatThisWasAll() {
        create("a");
        create("b");
        try (Watching watch = api.watch(configMaps()
                + "?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true")) {
            assertThat(List.of(watch.next().name(), watch.next().name())).contains("a");
            Event end = watch.any();
            while (!end.endsInitialEvents()) {
                end = watch.any();
            }
            assertThat(end.type()).isEqualTo("BOOKMARK");
            assertThat(end.object().path("kind").asText()).isEqualTo("ConfigMap");
            Reply created = create("c");
            assertThat(Long.parseLong(end.version())).isLessThan(Long.parseLong(created.version()));
            assertThat(watch.next("ADDED", "c").version()).isEqualTo(created.version());
        }
    }

    @Test
    void needsAMatchForInitialEvents() {
        Event refused = api.watch(configMaps() + "?watch=true&sendInitialEvents=true&allowWatchBookmarks=true")
                .any();
        assertThat(refused.type()).isEqualTo("REFUSED");
        api.get(configMaps() + "?watch=true&sendInitialEvents=true&allowWatchBookmarks=true")
                .refused(422, "Invalid");
    }

    @Test
    void refusesAMatchWithoutInitialEvents() {
        api.get(configMaps() + "?watch=true&resourceVersion=1&resourceVersionMatch=NotOlderThan")
                .refused(422, "Invalid");
    }

    @Test
    void sendsNoBookmarkUnasked() {
        List<Event> events =
                api.watch(configMaps() + "?watch=true&timeoutSeconds=1").toEnd();
        assertThat(events).extracting(Event::type).doesNotContain("BOOKMARK");
    }

    @Test
    void endsWith410WhenHistoryIsCompacted() {
        // Not ConfigMaps: the real server's watch cache still knows what etcd has forgotten of those.
        String secrets = "/api/v1/namespaces/" + namespace + "/secrets";
        String start = api.get(secrets).ok().version();
        api.create(secrets, json("{'metadata':{'name':'a'}}")).ok();
        api.create(secrets, json("{'metadata':{'name':'b'}}")).ok();
        server.compact();
        try (Watching watch = api.watch(secrets + "?watch=true&resourceVersion=" + start)) {
            Event error = watch.next();
            assertThat(error.type()).isEqualTo("ERROR");
            assertThat(error.object().path("code").asInt()).isEqualTo(410);
            assertThat(error.object().path("reason").asText()).isEqualTo("Expired");
            assertThat(watch.toEnd()).isEmpty();
        }
    }

    @Test
    void goesOnThroughACompaction() {
        try (Watching watch = api.watch(since(now()))) {
            create("a");
            watch.next("ADDED", "a");
            server.compact();
            create("b");
            watch.next("ADDED", "b");
        }
    }

    @Test
    void failsAtAVersionThatIsNone() {
        Reply refused = api.get(since("abc"));
        assertThat(refused.code()).isEqualTo(500);
        assertThat(refused.message())
                .isEqualTo(
                        "resourceVersion: Invalid value: \"abc\": strconv.ParseUint: parsing \"abc\": invalid syntax");
    }

    @Test
    void beginsWithNothingWhenToldTo() {
        create("a");
        try (Watching watch =
                api.watch(configMaps() + "?watch=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan")) {
            create("b");
            // What is written until the watch begins is not told of either.
            AtomicInteger writes = new AtomicInteger();
            eventually(() -> {
                api.patch(configMap("b"), Api.MERGE_PATCH, "{'data':{'key':'" + writes.incrementAndGet() + "'}}")
                        .ok();
                assertThat(watch.hasNext()).isTrue();
            });
            assertThat(watch.next().name()).isEqualTo("b");
        }
    }

    @Test
    void saysNothingButTheVersionInABookmark() {
        try (Watching watch = api.watch(configMaps()
                + "?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
                + "&fieldSelector=metadata.name=none")) {
            ObjectNode bookmark = (ObjectNode) watch.bookmark().object();
            ((ObjectNode) bookmark.path("metadata")).remove("resourceVersion");
            assertThat(bookmark)
                    .isEqualTo(json("{'kind':'ConfigMap','apiVersion':'v1','metadata':{'annotations':"
                            + "{'k8s.io/initial-events-end':'true'}}}"));
        }
    }

    @Test
    void tellsInTheStreamThatAVersionIsYetToCome() {
        try (Watching watch = api.watch(configMaps() + "?watch=true&sendInitialEvents=true"
                + "&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion=999999999")) {
            Event error = watch.next();
            assertThat(error.type()).isEqualTo("ERROR");
            assertThat(error.object().path("message").asText()).startsWith("Timeout: Too large resource version");
        }
    }

    @Test
    void getsOneObjectThoughAskedToWatchIt() {
        create("a");
        assertThat(api.get(configMap("a") + "?watch=true").ok().at("/metadata/name"))
                .isEqualTo("a");
    }

    @Test
    void refusesATimeThatIsNone() {
        api.get(configMaps() + "?watch=true&timeoutSeconds=abc").refused(400, "BadRequest");
    }

    @Test
    void goesOnThroughACompactionThatDoesNotConcernIt() {
        try (Watching watch = api.watch(since(now()))) {
            create("a");
            watch.next("ADDED", "a");
            api.create("/api/v1/namespaces/" + namespace + "/secrets", json("{'metadata':{'name':'s'}}"))
                    .ok();
            server.compact();
            create("b");
            watch.next("ADDED", "b");
        }
    }

    @Test
    void tellsOfAWaitingDeletion() {
        api.create(configMaps(), json("{'metadata':{'name':'a','finalizers':['example.com/f']}}"))
                .ok();
        try (Watching watch = api.watch(since(now()))) {
            api.delete(configMap("a")).ok();
            assertThat(watch.next("MODIFIED", "a")
                            .object()
                            .at("/metadata/deletionTimestamp")
                            .asText())
                    .isNotEmpty();
            api.patch(configMap("a"), Api.MERGE_PATCH, "{'metadata':{'finalizers':null}}")
                    .ok();
            watch.next("DELETED", "a");
        }
    }

    @Test
    void tellsManyWatchersTheSame() {
        String start = now();
        List<Watching> watches =
                IntStream.range(0, 5).mapToObj(i -> api.watch(since(start))).toList();
        IntStream.range(0, 20).forEach(i -> create("c" + i));
        List<List<String>> seen = new ArrayList<>();
        for (Watching watch : watches) {
            seen.add(
                    IntStream.range(0, 20).mapToObj(i -> watch.next().version()).toList());
            watch.close();
        }
        assertThat(seen).allMatch(versions -> versions.equals(seen.get(0)));
    }
}
