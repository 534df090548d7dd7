package io.controllermanager.apiserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.google.gson.JsonParseException;
import com.google.gson.reflect.TypeToken;
import io.controllermanager.apiserver.faults.Fault;
import io.controllermanager.apiserver.faults.Faults;
import io.controllermanager.apiserver.faults.RequestMatcher;
import io.controllermanager.apiserver.junit.EmbeddedApiServer;
import io.controllermanager.testing.support.Waiting;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ConfigMapList;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.util.Watch;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import okhttp3.Request;
import okhttp3.Response;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

@EmbeddedApiServer(seed = 7, bookmarkIntervalMillis = 50)
class FaultsTest {

    private final List<String> seen = new CopyOnWriteArrayList<>();

    private static void create(CoreV1Api api, String name) throws ApiException {
        api.createNamespacedConfigMap("default", new V1ConfigMap().metadata(new V1ObjectMeta().name(name)))
                .execute();
    }

    private static int list(CoreV1Api api) throws ApiException {
        return api.listNamespacedConfigMap("default").execute().getItems().size();
    }

    /** Reads a watch to its end; gives what ended it, or an empty text. */
    private String watch(ApiClient client, CoreV1Api api, int seconds) throws ApiException, IOException {
        try (Watch<V1ConfigMap> watch = Watch.createWatch(
                client,
                api.listNamespacedConfigMap("default")
                        .watch(true)
                        .allowWatchBookmarks(true)
                        .timeoutSeconds(seconds)
                        .buildCall(null),
                new TypeToken<Watch.Response<V1ConfigMap>>() {}.getType())) {
            for (Watch.Response<V1ConfigMap> event : watch) {
                seen.add(event.type + (event.status == null ? "" : " " + event.status.getCode()));
            }
            return "";
        } catch (RuntimeException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @Test
    void refusesSoManyTimes(ApiServer server, ApiClient client) throws ApiException {
        CoreV1Api api = new CoreV1Api(client);
        Fault fault =
                server.faults().when(RequestMatcher.list("configmaps")).times(2).respond(429, Duration.ofSeconds(3));
        ApiException refusal = catchThrowableOfType(ApiException.class, () -> list(api));
        assertThat(refusal.getCode()).isEqualTo(429);
        assertThat(refusal.getResponseHeaders()).containsEntry("retry-after", List.of("3"));
        assertThat(refusal.getResponseBody()).contains("TooManyRequests");
        assertThatThrownBy(() -> list(api)).isInstanceOf(ApiException.class);
        assertThat(list(api)).isZero();
        assertThat(fault.hits()).isEqualTo(2);
    }

    @Test
    void leavesOtherRequestsAlone(ApiServer server, ApiClient client) throws ApiException {
        server.faults().when(RequestMatcher.writes().namespace("other")).respond(503);
        create(new CoreV1Api(client), "a");
        assertThat(list(new CoreV1Api(client))).isEqualTo(1);
    }

    @Test
    void hangsUntilItIsRemoved(ApiServer server, ApiClient client) throws Exception {
        CoreV1Api api = new CoreV1Api(client);
        Fault fault = server.faults().when(RequestMatcher.verb("list")).hang();
        CompletableFuture<Integer> list = CompletableFuture.supplyAsync(() -> {
            try {
                return list(api);
            } catch (ApiException e) {
                throw new IllegalStateException(e);
            }
        });
        await().until(() -> fault.hits() == 1);
        // Time for an answer that must not come: a slow machine can hide one, and not make one.
        assertThatThrownBy(() -> list.get(100, TimeUnit.MILLISECONDS))
                .isInstanceOf(java.util.concurrent.TimeoutException.class);
        fault.remove();
        assertThat(Waiting.on(list)).isZero();
    }

    @Test
    void delays(ApiServer server, ApiClient client) throws Exception {
        CoreV1Api api = new CoreV1Api(client);
        Fault brief = server.faults().when(RequestMatcher.verb("list")).delay(Duration.ofMillis(1));
        assertThat(list(api)).isZero();
        brief.remove();

        Fault endless = server.faults().when(RequestMatcher.verb("list")).delay(Duration.ofHours(1));
        CompletableFuture<Integer> list = CompletableFuture.supplyAsync(() -> {
            try {
                return list(api);
            } catch (ApiException e) {
                throw new IllegalStateException(e);
            }
        });
        await().until(() -> endless.hits() == 1);
        // The same.
        assertThatThrownBy(() -> list.get(100, TimeUnit.MILLISECONDS))
                .isInstanceOf(java.util.concurrent.TimeoutException.class);
    }

    @Test
    void cutsAnAnswer(ApiServer server, ApiClient client) {
        server.faults().when(RequestMatcher.verb("list")).closeAfterBytes(20);
        assertThatThrownBy(() -> list(new CoreV1Api(client))).hasStackTraceContaining("EOFException");
    }

    @Test
    void cutsAWatch(ApiServer server, ApiClient client) throws ApiException, IOException {
        CoreV1Api api = new CoreV1Api(client);
        create(api, "a");
        create(api, "b");
        server.faults().when(RequestMatcher.watch("configmaps")).times(1).closeAfterEvents(1);
        watch(client, api, 5);
        assertThat(seen).containsExactly("ADDED");
    }

    @Test
    void saysThatHistoryIsGone(ApiServer server, ApiClient client) throws ApiException, IOException {
        server.faults().when(RequestMatcher.any().resource("configmaps")).gone();
        CoreV1Api api = new CoreV1Api(client);
        watch(client, api, 5);
        assertThat(seen).containsExactly("ERROR 410");
        assertThat(catchThrowableOfType(ApiException.class, () -> list(api)).getCode())
                .isEqualTo(410);
    }

    @Test
    void listsThePast(ApiServer server, ApiClient client) throws ApiException {
        CoreV1Api api = new CoreV1Api(client);
        create(api, "a");
        create(api, "b");
        Fault stale = server.faults().when(RequestMatcher.list("configmaps")).staleBy(1);
        assertThat(list(api)).isEqualTo(1);
        stale.remove();
        assertThat(list(api)).isEqualTo(2);
    }

    @Test
    void dropsAndRepeatsBookmarks(ApiServer server, ApiClient client) throws ApiException, IOException {
        CoreV1Api api = new CoreV1Api(client);
        Fault drop = server.faults().when(RequestMatcher.watch("configmaps")).dropBookmarks();
        watch(client, api, 1);
        assertThat(seen).isEmpty();
        drop.remove();
        server.faults().when(RequestMatcher.watch("configmaps")).repeatBookmarks();
        watch(client, api, 1);
        assertThat(seen).isNotEmpty().containsOnly("BOOKMARK");
        assertThat(seen.size() % 2).isZero();
    }

    @Test
    void sendsSomethingElseInAnEventsPlace(ApiServer server, ApiClient client) throws ApiException, IOException {
        CoreV1Api api = new CoreV1Api(client);
        create(api, "a");
        create(api, "b");
        create(api, "c");
        Fault fault = server.faults()
                .when(RequestMatcher.watch("configmaps"))
                .times(1)
                .replaceEvents((before, event) -> before == 0
                        ? List.of(event, event)
                        : List.of(before == 1 ? "{garbage\n".getBytes(StandardCharsets.UTF_8) : event));

        assertThat(watch(client, api, 1)).isNotEmpty();
        assertThat(seen).containsExactly("ADDED", "ADDED");
        assertThat(fault.hits()).isEqualTo(1);
    }

    @Test
    void fallsSilentAfterSoManyEvents(ApiServer server, ApiClient client) throws Exception {
        CoreV1Api api = new CoreV1Api(client);
        create(api, "a");
        create(api, "b");
        Fault fault = server.faults()
                .when(RequestMatcher.watch("configmaps"))
                .times(1)
                .hangAfterEvents(1);
        CompletableFuture<String> silent = watching(client, api, 1);
        await().until(() -> seen.contains("ADDED"));
        // Another watch of the same length goes to its end.
        watch(client, api, 1);
        assertThat(silent).isNotDone();
        assertThat(seen.stream().filter("ADDED"::equals)).hasSize(3);
        fault.remove();
        Waiting.on(silent);
        assertThat(seen.stream().filter("ADDED"::equals)).hasSize(4);
    }

    @Test
    void readsSlowlyUntilHistoryIsGone(ApiServer server, ApiClient client) throws Exception {
        CoreV1Api api = new CoreV1Api(client);
        create(api, "a");
        Fault fault = server.faults().when(RequestMatcher.watch("configmaps")).slowReader(Duration.ofMinutes(5));
        CompletableFuture<String> slow = watching(client, api, 60);
        await().until(() -> seen.contains("ADDED"));
        create(api, "b");
        server.compact();
        fault.remove();
        Waiting.on(slow);
        assertThat(seen).startsWith("ADDED").endsWith("ERROR 410").hasSize(2);
    }

    @Test
    void letsCompactionOvertakeASlowReader(ApiServer server, ApiClient client) throws Exception {
        CoreV1Api api = new CoreV1Api(client);
        create(api, "a");
        create(api, "b");
        Fault fault = server.faults().when(RequestMatcher.watch("configmaps")).slowReader(Duration.ofHours(1));
        CompletableFuture<String> watching = watching(client, api, 60);
        await().until(() -> !seen.isEmpty());
        create(api, "c");
        server.compact();
        assertThat(seen).containsExactly("ADDED");
        fault.remove();
        Waiting.on(watching);
        assertThat(seen).containsExactly("ADDED", "ADDED", "ERROR 410");
    }

    private CompletableFuture<String> watching(ApiClient client, CoreV1Api api, int seconds) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return watch(client, api, seconds);
            } catch (ApiException | IOException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    @Test
    void refusesWithServerErrors(ApiServer server, ApiClient client) {
        for (int code : new int[] {500, 503}) {
            Fault fault =
                    server.faults().when(RequestMatcher.list("configmaps")).respond(code);
            assertThat(catchThrowableOfType(ApiException.class, () -> list(new CoreV1Api(client)))
                            .getCode())
                    .isEqualTo(code);
            fault.remove();
        }
    }

    @Test
    void strikesByChanceButTheSameEachTime() throws ApiException {
        assertThat(strikes(1)).isEqualTo(strikes(1)).isNotEqualTo(strikes(2));
    }

    private static List<Boolean> strikes(long seed) throws ApiException {
        List<Boolean> strikes = new ArrayList<>();
        try (ApiServer server = ApiServer.builder().seed(seed).start()) {
            CoreV1Api api = new CoreV1Api(server.client());
            Fault fault = server.faults().when(RequestMatcher.any()).chance(0.5).respond(500);
            for (int i = 0; i < 32; i++) {
                int before = fault.hits();
                try {
                    list(api);
                } catch (ApiException e) {
                    assertThat(e.getCode()).isEqualTo(500);
                }
                strikes.add(fault.hits() > before);
            }
        }
        return strikes;
    }

    @Test
    void spendsOneRefusalOnOneRequest(ApiServer server, ApiClient client) throws ApiException {
        CoreV1Api api = new CoreV1Api(client);
        Fault first =
                server.faults().when(RequestMatcher.list("configmaps")).times(1).respond(429);
        Fault second =
                server.faults().when(RequestMatcher.verb("list")).times(1).respond(503);
        Fault late = server.faults().when(RequestMatcher.verb("list")).delay(Duration.ofMillis(1));
        assertThat(catchThrowableOfType(ApiException.class, () -> list(api)).getCode())
                .isEqualTo(429);
        assertThat(second.hits()).isZero();
        assertThat(catchThrowableOfType(ApiException.class, () -> list(api)).getCode())
                .isEqualTo(503);
        list(api);
        assertThat(List.of(first.hits(), second.hits(), late.hits())).containsExactly(1, 1, 3);
    }

    @Test
    void spendsOneCutOnOneRequest(ApiServer server, ApiClient client) throws ApiException {
        CoreV1Api api = new CoreV1Api(client);
        Fault first =
                server.faults().when(RequestMatcher.list("configmaps")).times(1).closeAfterBytes(20);
        Fault second =
                server.faults().when(RequestMatcher.list("configmaps")).times(1).closeAfterBytes(50);
        assertThatThrownBy(() -> list(api)).isInstanceOfAny(ApiException.class, JsonParseException.class);
        assertThat(List.of(first.hits(), second.hits())).containsExactly(1, 0);
        assertThatThrownBy(() -> list(api)).isInstanceOfAny(ApiException.class, JsonParseException.class);
        assertThat(second.hits()).isEqualTo(1);
        assertThat(list(api)).isZero();
    }

    @Test
    void countsACutWhenItIsMade(ApiServer server, ApiClient client) throws ApiException, IOException {
        CoreV1Api api = new CoreV1Api(client);
        create(api, "a");
        Fault cut = server.faults().when(RequestMatcher.any()).times(1).closeAfterEvents(2);
        Fault drop = server.faults().when(RequestMatcher.watch("configmaps")).dropBookmarks();
        list(api);
        assertThat(watch(client, api, 1)).isEmpty();
        assertThat(cut.hits()).isZero();
        assertThat(drop.hits()).isEqualTo(1);
        create(api, "b");
        watch(client, api, 60);
        assertThat(cut.hits()).isEqualTo(1);
        assertThat(seen).containsExactly("ADDED", "ADDED", "ADDED");
    }

    @Test
    void cutsAWatchBeforeItsFirstEvent(ApiServer server, ApiClient client) throws ApiException, IOException {
        Fault cut = server.faults().when(RequestMatcher.any()).times(1).closeAfterEvents(0);
        watch(client, new CoreV1Api(client), 60);
        assertThat(cut.hits()).isEqualTo(1);
        assertThat(seen).isEmpty();
    }

    @Test
    void goesOnWithThePagesOfAListOfThePast(ApiServer server, ApiClient client) throws ApiException {
        CoreV1Api api = new CoreV1Api(client);
        create(api, "a");
        create(api, "b");
        create(api, "c");
        Fault stale = server.faults().when(RequestMatcher.any()).staleBy(1);
        V1ConfigMapList first = api.listNamespacedConfigMap("default").limit(1).execute();
        V1ConfigMapList second = api.listNamespacedConfigMap("default")
                .limit(1)
                ._continue(first.getMetadata().getContinue())
                .execute();
        assertThat(second.getItems().get(0).getMetadata().getName()).isEqualTo("b");
        assertThat(second.getMetadata().getContinue()).isNull();
        assertThat(stale.hits()).isEqualTo(1);
    }

    @Test
    void waitsAsLongAsAWatchSays(ApiServer server, ApiClient client) throws Exception {
        CoreV1Api api = new CoreV1Api(client);
        CompletableFuture<String> endless = watching(client, api, Integer.MAX_VALUE);
        create(api, "a");
        await().until(() -> seen.contains("ADDED"));
        String url = server.url() + "/api/v1/namespaces/default/configmaps?watch=true&timeoutSeconds=" + Long.MAX_VALUE;
        try (Response response = client.getHttpClient()
                .newCall(new Request.Builder().url(url).build())
                .execute()) {
            assertThat(response.body().source().readUtf8Line()).contains("\"ADDED\"");
        }
        assertThat(endless).isNotDone();
    }

    @Test
    void refusesNonsense(ApiServer server) {
        Faults.Builder any = server.faults().when(RequestMatcher.any());
        refuses(() -> any.times(0), "times", "0");
        refuses(() -> any.chance(2), "chance", "2.0");
        refuses(() -> any.chance(Double.NaN), "chance", "NaN");
        refuses(() -> any.respond(200), "code", "200");
        refuses(() -> any.respond(429, Duration.ofSeconds(-1)), "retryAfter", "PT-1S");
        refuses(() -> any.respond(429, Duration.ofMillis(300)), "retryAfter", "PT0.3S");
        refuses(() -> any.delay(Duration.ZERO), "time", "PT0S");
        refuses(() -> any.slowReader(Duration.ofMillis(-1)), "pause", "PT-0.001S");
        refuses(() -> any.closeAfterBytes(-1), "bytes", "-1");
        refuses(() -> any.closeAfterEvents(-2), "events", "-2");
        refuses(() -> any.hangAfterEvents(-3), "events", "-3");
        refuses(() -> any.staleBy(0), "changes", "0");
        refuses(() -> RequestMatcher.verb("gett"), "verb", "'gett'");
    }

    private static void refuses(ThrowingCallable nonsense, String parameter, String value) {
        assertThatThrownBy(nonsense)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(parameter)
                .hasMessageEndingWith(value);
    }
}
