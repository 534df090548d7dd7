package io.controllermanager.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.reflect.TypeToken;
import io.controllermanager.testing.support.Waiting;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.util.Watch;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Many writers and watchers at once: every watcher sees every change once and in order, and ends with what is stored. */
class StressTest {

    private static final int WRITERS = 8;
    private static final int WATCHERS = 8;
    private static final int WRITES = 250;
    private static final int NAMES = 20;
    private static final String END = "end";

    private final ExecutorService threads = Executors.newFixedThreadPool(WRITERS + WATCHERS);
    private final ApiServer server = ApiServer.start();

    @AfterEach
    void close() {
        threads.shutdownNow();
        server.close();
    }

    /** One state of one object: what a writer got as its answer, or a watcher was sent. */
    private record State(String name, long version, String value) {

        static State of(V1ConfigMap object) {
            V1ObjectMeta metadata = object.getMetadata();
            return new State(
                    metadata.getName(),
                    Long.parseLong(metadata.getResourceVersion()),
                    object.getData().getOrDefault("value", ""));
        }
    }

    private record Event(String type, State state) {}

    private <T> List<CompletableFuture<T>> start(Stream<Supplier<T>> actions) {
        return actions.map(action -> CompletableFuture.supplyAsync(action, threads))
                .toList();
    }

    private static <T> List<T> join(List<CompletableFuture<T>> running) throws Exception {
        List<T> results = new ArrayList<>();
        for (CompletableFuture<T> one : running) {
            results.add(Waiting.on(one));
        }
        return results;
    }

    @Test
    void everyWatcherSeesEveryChangeOnceAndInOrder() throws Exception {
        CoreV1Api api = new CoreV1Api(server.client());
        String start =
                api.listNamespacedConfigMap("default").execute().getMetadata().getResourceVersion();
        List<CompletableFuture<List<Event>>> watchers =
                start(IntStream.range(0, WATCHERS).mapToObj(i -> () -> watch(server.client(), start)));
        List<CompletableFuture<List<Event>>> writers =
                start(IntStream.range(0, WRITERS).mapToObj(i -> () -> write(server.client(), i)));
        List<Event> written = new ArrayList<>();
        join(writers).forEach(written::addAll);
        V1ConfigMap end =
                api.createNamespacedConfigMap("default", configMap(END, "0")).execute();
        written.add(new Event("ADDED", State.of(end)));
        List<State> stored = api.listNamespacedConfigMap("default").execute().getItems().stream()
                .map(State::of)
                .toList();

        List<List<Event>> seen = join(watchers);
        List<Event> events = seen.get(0);
        // Nothing else is written, so that each change, deletions too, has the next version.
        assertThat(events)
                .extracting(event -> event.state().version())
                .containsExactlyElementsOf(LongStream.rangeClosed(
                                Long.parseLong(start) + 1, State.of(end).version())
                        .boxed()
                        .toList());
        assertThat(seen).allSatisfy(others -> assertThat(others).isEqualTo(events));
        assertThat(events.stream().filter(event -> !event.type().equals("DELETED")))
                .containsExactlyInAnyOrderElementsOf(written.stream()
                        .filter(event -> event.state().version() > 0)
                        .toList());
        assertThat(events.stream().filter(event -> event.type().equals("DELETED")))
                .extracting(event -> event.state().name())
                .containsExactlyInAnyOrderElementsOf(written.stream()
                        .filter(event -> event.type().equals("DELETED"))
                        .map(event -> event.state().name())
                        .toList());
        assertThat(replay(events)).containsExactlyInAnyOrderElementsOf(stored);
    }

    /** What is left when all that is told has happened; each event has to fit to what was there before. */
    private static Collection<State> replay(List<Event> events) {
        Map<String, State> held = new HashMap<>();
        for (Event event : events) {
            State state = event.state();
            switch (event.type()) {
                case "ADDED" -> assertThat(held.put(state.name(), state)).isNull();
                case "MODIFIED" -> assertThat(held.put(state.name(), state)).isNotNull();
                default -> {
                    assertThat(event.type()).isEqualTo("DELETED");
                    assertThat(held.remove(state.name()))
                            .extracting(State::value)
                            .isEqualTo(state.value());
                }
            }
        }
        return held.values();
    }

    private static V1ConfigMap configMap(String name, String value) {
        return new V1ConfigMap().metadata(new V1ObjectMeta().name(name)).putDataItem("value", value);
    }

    /** Creates, changes and deletes at random; gives what came of it. Of a deletion it is not told which version it has. */
    private static List<Event> write(ApiClient client, int writer) {
        CoreV1Api api = new CoreV1Api(client);
        Random random = new Random(writer);
        List<Event> written = new ArrayList<>();
        for (int i = 0; i < WRITES; i++) {
            String name = "c" + random.nextInt(NAMES);
            // Never the same twice, which would be no change.
            V1ConfigMap object = configMap(name, writer + "-" + i);
            try {
                switch (random.nextInt(4)) {
                    case 0 -> {
                        api.deleteNamespacedConfigMap(name, "default").execute();
                        written.add(new Event("DELETED", new State(name, 0, "")));
                    }
                    case 1 -> {
                        V1ConfigMap created =
                                api.createNamespacedConfigMap("default", object).execute();
                        written.add(new Event("ADDED", State.of(created)));
                    }
                    default -> {
                        V1ConfigMap replaced = api.replaceNamespacedConfigMap(name, "default", object)
                                .execute();
                        written.add(new Event("MODIFIED", State.of(replaced)));
                    }
                }
            } catch (ApiException e) {
                // Someone else was there before.
                assertThat(e.getCode()).isIn(404, 409);
            }
        }
        return written;
    }

    /** Follows a watch up to the last object. */
    private static List<Event> watch(ApiClient client, String start) {
        List<Event> events = new ArrayList<>();
        try (Watch<V1ConfigMap> watch = Watch.createWatch(
                client,
                new CoreV1Api(client)
                        .listNamespacedConfigMap("default")
                        .watch(true)
                        .resourceVersion(start)
                        .buildCall(null),
                new TypeToken<Watch.Response<V1ConfigMap>>() {}.getType())) {
            for (Watch.Response<V1ConfigMap> event : watch) {
                State state = State.of(event.object);
                events.add(new Event(event.type, state));
                if (state.name().equals(END)) {
                    break;
                }
            }
        } catch (ApiException | IOException e) {
            throw new IllegalStateException(e);
        }
        return events;
    }
}
