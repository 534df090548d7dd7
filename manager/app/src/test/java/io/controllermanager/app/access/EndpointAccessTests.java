package io.controllermanager.app.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.TcpProxy;
import io.controllermanager.testing.controlplane.junit.FreshNamespace;
import io.controllermanager.testing.controlplane.junit.RealControlPlane;
import io.controllermanager.testing.support.Waiting;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.RbacV1Subject;
import io.kubernetes.client.util.Config;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Who may use the endpoints, asked of a real API server by a manager that may do nothing there but ask: its account is
 * bound to {@code system:auth-delegator} alone.
 */
@RealControlPlane
@Tag("control-plane")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EndpointAccessTests {

    private static final String ON = "--controller-manager.endpoints.authentication.enabled=true";
    private static final String UNRESTRICTED = "--management.endpoint.%s.access=unrestricted";

    private Path directory;
    private ControlPlane plane;
    private Tokens tokens;
    private HostedManager manager;
    private TcpProxy proxy;
    private String scraper;

    @BeforeAll
    void start(ControlPlane shared, FreshNamespace namespace, @TempDir Path kubeconfigs) throws Exception {
        directory = kubeconfigs;
        plane = shared;
        ApiClient admin = Config.fromConfig(plane.kubeconfigFile().toString());
        tokens = new Tokens(plane, admin, namespace.name());
        tokens.account("scraper", "get", "/actuator", "/actuator/*", "/flagz", "/statusz");
        tokens.account("operator", "post", "/actuator/controllers/foo", "/actuator/loggers/*");
        tokens.account("nobody", "get");
        tokens.bind(
                "manager",
                "system:auth-delegator",
                new RbacV1Subject().kind("User").name("manager"));
        scraper = tokens.of("scraper");
        proxy = new TcpProxy(plane.apiServerUrl());
        manager = HostedManager.start(kubeconfig("manager"), ON);
    }

    @AfterAll
    void stop() throws IOException {
        manager.close();
        proxy.close();
    }

    private String kubeconfig(String user) throws IOException {
        Path file = directory.resolve(user);
        String direct = plane.kubeconfigFor(user);
        Files.writeString(file, direct.replace(plane.apiServerUrl().toString(), proxy.url()));
        return "--controller-manager.kubeconfig=" + file;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/actuator",
                "/actuator/health",
                "/actuator/health/livenessState",
                "/actuator/info",
                "/actuator/prometheus",
                "/actuator/metrics",
                "/actuator/metrics/jvm.threads.live",
                "/actuator/loggers",
                "/actuator/controllers",
                "/actuator/controllers/foo",
                "/actuator/informers",
                "/actuator/leaderelection",
                "/flagz",
                "/statusz"
            })
    void eachEndpointIsShownToThoseWhoMayAndToNobodyElse(String path) throws Exception {
        expect(401, "a bearer token is needed", manager.get(path, null));
        expect(401, "a bearer token is needed", send("GET", path, "Basic c2NyYXBlcjp4", null));
        expect(401, "a bearer token is needed", send("GET", path, "Bearer", null));
        expect(401, "the token is not valid", manager.get(path, "made.up.token"));
        expect(401, "the token is not valid", manager.get(path, scraper.substring(0, scraper.length() - 5) + "AAAAA"));
        expect(401, "the token is not valid", manager.get(path, tokens.ending("scraper", Duration.ofMinutes(-1))));
        expect(401, "the token is not valid", manager.get(path, tokens.revoked("scraper")));
        expect(401, "the token is not valid", manager.get(path, tokens.forAudience("scraper", "elsewhere")));
        expect(
                403,
                "user \\\"system:serviceaccount:" + tokens.namespace() + ":nobody\\\" may not get " + path,
                manager.get(path, tokens.of("nobody")));

        assertThat(manager.get(path, scraper).statusCode()).isEqualTo(200);
        assertThat(manager.get(path, tokens.ending("scraper", Duration.ofHours(1)))
                        .statusCode())
                .isEqualTo(200);
        assertThat(send("HEAD", path, "Bearer " + scraper, null).statusCode()).isEqualTo(403);
    }

    @Test
    void aRefusalSaysHowAndNamesTheRuleThatIsMissing() throws Exception {
        assertThat(manager.get("/actuator/prometheus", null).headers().firstValue("WWW-Authenticate"))
                .contains("Bearer realm=\"controller-manager\"");
        assertThat(manager.get("/actuator/prometheus", "wrong").headers().firstValue("WWW-Authenticate"))
                .contains("Bearer realm=\"controller-manager\", error=\"invalid_token\"");
        assertThat(manager.get("/actuator/prometheus", tokens.of("nobody")).body())
                .contains("nonResourceURLs [\\\"/actuator/prometheus\\\"] and verbs [\\\"get\\\"]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/actuator/health/liveness", "/actuator/health/readiness"})
    void probesNeedNoToken(String path) throws Exception {
        assertThat(manager.get(path, null).statusCode()).isEqualTo(200);
        assertThat(manager.get(path, "wrong").statusCode()).isEqualTo(200);
    }

    @Test
    void otherPathsNeedNone() throws Exception {
        assertThat(manager.get("/nothing/here", null).statusCode()).isEqualTo(404);
        assertThat(manager.get("/actuators", null).statusCode()).isEqualTo(404);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/actuator;x=y/prometheus",
                "/actuator/prometheus;x=y",
                "/%61ctuator/prometheus",
                "//actuator/prometheus",
                "/actuator//prometheus",
                "/nothing/../actuator/prometheus",
                "/actuator/health/liveness/../../prometheus",
                "/actuator/health/liveness/",
                "/actuator/health/liveness;/../../prometheus",
                "/actuator/health/liveness%2f..%2f..%2fprometheus",
                "/actuator/.",
                "/actuator/"
            })
    void noSpellingGoesAround(String path) throws Exception {
        assertThat(manager.get(path, null).statusCode()).isIn(400, 401);
    }

    @Test
    void writingIsOffWhoeverAsks() throws Exception {
        String operator = "Bearer " + tokens.of("operator");
        assertThat(send("POST", "/actuator/controllers/foo", operator, "{\"action\":\"pause\"}")
                        .statusCode())
                .isEqualTo(405);
        assertThat(send("POST", "/actuator/loggers/org.example", operator, "{\"configuredLevel\":\"debug\"}")
                        .statusCode())
                .isEqualTo(405);
        assertThat(send("POST", "/actuator/loggers/org.example", null, "{\"configuredLevel\":\"debug\"}")
                        .statusCode())
                .isEqualTo(401);
    }

    @Test
    void whereWritingIsOnItNeedsARightOfItsOwn() throws Exception {
        try (HostedManager writable = HostedManager.start(
                kubeconfig("manager"), ON, UNRESTRICTED.formatted("controllers"), UNRESTRICTED.formatted("loggers"))) {
            String operator = "Bearer " + tokens.of("operator");
            String level = "{\"configuredLevel\":\"info\"}";
            int port = writable.port();
            expect(401, "needed", writable.send("POST", port, "/actuator/loggers/org.example", null, level));
            expect(
                    403,
                    "may not post /actuator/loggers/org.example",
                    writable.send("POST", port, "/actuator/loggers/org.example", "Bearer " + scraper, level));
            assertThat(writable.send("POST", port, "/actuator/loggers/org.example", operator, level)
                            .statusCode())
                    .isEqualTo(204);
            // It gets past the guard; nothing can be paused of what is switched off.
            assertThat(writable.send("POST", port, "/actuator/controllers/foo", operator, "{\"action\":\"pause\"}")
                            .statusCode())
                    .isEqualTo(409);
            expect(
                    403,
                    "may not post /actuator/controllers/network",
                    writable.send("POST", port, "/actuator/controllers/network", operator, "{\"action\":\"pause\"}"));
            expect(403, "may not get /actuator", writable.send("GET", port, "/actuator", operator, null));
        }
    }

    @Test
    void whileTheApiServerIsAwayOnlyThoseWhoAreKnownGetAnAnswer() throws Exception {
        assertThat(manager.get("/actuator/info", scraper).statusCode()).isEqualTo(200);
        assertThat(manager.get("/actuator/info", "wrong again").statusCode()).isEqualTo(401);
        String unknown = tokens.of("nobody");
        proxy.cut();
        try {
            assertThat(manager.get("/actuator/info", scraper).statusCode()).isEqualTo(200);
            assertThat(manager.get("/actuator/info", "wrong again").statusCode())
                    .isEqualTo(401);
            expect(503, "the API server cannot be asked now", manager.get("/actuator/info", unknown));
            expect(503, "the API server cannot be asked now", manager.get("/actuator/unheard-of", scraper));
            expect(401, "a bearer token is needed", manager.get("/actuator/info", null));
            assertThat(manager.get("/actuator/health/liveness", null).statusCode())
                    .isEqualTo(200);
        } finally {
            proxy.restore();
        }
        expect(403, "may not get", manager.get("/actuator/info", unknown));
    }

    @Test
    void anApiServerThatHangsIsNotWaitedForForLong() throws Exception {
        try (HostedManager hasty = HostedManager.start(
                kubeconfig("manager"), ON, "--controller-manager.endpoints.authentication.timeout=200ms")) {
            proxy.freeze();
            try {
                expect(503, "the API server cannot be asked now", hasty.get("/actuator/info", scraper));
            } finally {
                proxy.restore();
                proxy.dropConnections();
            }
        }
    }

    @Test
    void aStormOfScrapesIsOneTokenReviewAndOneSubjectAccessReview() throws Exception {
        String token = tokens.of("scraper");
        long before = requestsSent();
        var threads = Executors.newFixedThreadPool(16);
        try {
            List<Future<Integer>> answers = new ArrayList<>();
            for (int i = 0; i < 64; i++) {
                answers.add(threads.submit(
                        () -> manager.get("/actuator/prometheus", token).statusCode()));
            }
            for (Future<Integer> answer : answers) {
                assertThat(Waiting.on(answer)).isEqualTo(200);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(requestsSent() - before).isEqualTo(2);
    }

    /** How often the manager has asked the API server anything by POST, as its metrics say. */
    private long requestsSent() throws Exception {
        return manager.get("/actuator/prometheus", scraper)
                .body()
                .lines()
                .filter(line -> line.startsWith("rest_client_requests_total{") && line.contains("method=\"POST\""))
                .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    @Test
    void aManagementPortIsGuardedToo() throws Exception {
        try (HostedManager separate = HostedManager.start(
                kubeconfig("manager"),
                ON,
                "--management.server.port=0",
                "--management.endpoints.web.base-path=/manage",
                "--management.endpoints.web.path-mapping.health=healthz")) {
            int port = separate.managementPort();
            expect(401, "needed", separate.send("GET", port, "/manage/prometheus", null, null));
            expect(
                    403,
                    "may not get /manage/prometheus",
                    separate.send("GET", port, "/manage/prometheus", "Bearer " + scraper, null));
            assertThat(separate.send("GET", port, "/manage/healthz/liveness", null, null)
                            .statusCode())
                    .isEqualTo(200);
            assertThat(separate.get("/manage/prometheus", null).statusCode()).isEqualTo(404);
        }
    }

    @Test
    void allPathsOfAManagementPortAreGuardedWhereEndpointsAreAtItsRoot() throws Exception {
        try (HostedManager separate = HostedManager.start(
                kubeconfig("manager"), ON, "--management.server.port=0", "--management.endpoints.web.base-path=/")) {
            int port = separate.managementPort();
            expect(401, "needed", separate.send("GET", port, "/prometheus", null, null));
            assertThat(separate.send("GET", port, "/health/liveness", null, null)
                            .statusCode())
                    .isEqualTo(200);
            assertThat(separate.get("/prometheus", null).statusCode()).isEqualTo(404);
        }
    }

    @Test
    void aContextPathAndTheDispatchersPathAreNoWayAround() throws Exception {
        try (HostedManager nested = HostedManager.start(
                kubeconfig("manager"), ON, "--server.servlet.context-path=/app", "--spring.mvc.servlet.path=/api")) {
            expect(401, "needed", nested.get("/app/api/actuator/prometheus", null));
            expect(
                    403,
                    "may not get /app/api/actuator/prometheus",
                    nested.get("/app/api/actuator/prometheus", scraper));
            assertThat(nested.get("/app/api/actuator/health/liveness", null).statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void aTokenMustBeForTheAudienceThatIsAskedFor() throws Exception {
        try (HostedManager particular = HostedManager.start(
                kubeconfig("manager"), ON, "--controller-manager.endpoints.authentication.audiences=metrics")) {
            // Both are the API server's own, as TokenReviews go: one is for another audience.
            expect(401, "not valid", particular.get("/actuator/info", scraper));
            assertThat(particular
                            .get("/actuator/info", tokens.forAudience("scraper", "metrics"))
                            .statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void withoutTheRightToAskItSaysWhichIsMissing() throws Exception {
        try (HostedManager powerless = HostedManager.start(kubeconfig("powerless"), ON)) {
            expect(503, "needs the ClusterRole system:auth-delegator", powerless.get("/actuator/info", scraper));
            assertThat(powerless.get("/actuator/health/liveness", null).statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void withoutAuthenticationNobodyIsAsked() throws Exception {
        try (HostedManager open = HostedManager.start(kubeconfig("manager"))) {
            assertThat(open.get("/actuator/prometheus", null).statusCode()).isEqualTo(200);
            assertThat(open.get("/actuator/prometheus", "wrong").statusCode()).isEqualTo(200);
            assertThat(open.get("/flagz", null).statusCode()).isEqualTo(404);
            assertThat(open.get("/statusz", null).statusCode()).isEqualTo(404);
        }
    }

    @Test
    void whatCannotBeGuardedDoesNotStart() {
        assertThatThrownBy(() -> HostedManager.start(ON, "--controller-manager.enabled=false")
                        .close())
                .rootCause()
                .hasMessageContaining("no controller manager is hosted here");
    }

    private HttpResponse<String> send(String method, String path, @Nullable String authorization, @Nullable String json)
            throws Exception {
        return manager.send(method, manager.port(), path, authorization, json);
    }

    private static void expect(int status, String body, HttpResponse<String> answer) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        assertThat(answer.body()).startsWith("{\"error\":\"").contains(body);
        assertThat(answer.headers().firstValue("Content-Type"))
                .hasValueSatisfying(type -> assertThat(type).startsWith("application/json"));
    }
}
