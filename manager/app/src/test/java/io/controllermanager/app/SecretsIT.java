package io.controllermanager.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.controllermanager.testing.controlplane.ControlPlane;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nothing secret in logs, endpoints' answers and error messages, however loud the log is. */
class SecretsIT {

    private static final String MARK = "marked-as-secret";
    private static final List<String> LOUD = List.of(
            "-Dsome.password=" + MARK,
            "-Dlogging.level.root=debug",
            "-Dlogging.level.io.controllermanager=trace",
            "-Dlogging.level.io.kubernetes=trace",
            "-Dlogging.level.okhttp3=trace");

    private static ControlPlane plane;

    @TempDir
    Path directory;

    @BeforeAll
    static void start() {
        plane = ControlPlane.builder().start();
    }

    @AfterAll
    static void stop() {
        plane.close();
    }

    @Test
    void aRefusedTokenAndPropertiesAreInNoLogAndNoEndpoint() throws Exception {
        Path kubeconfig = kubeconfig("token: " + MARK, "insecure-skip-tls-verify: true");
        try (RunningJar jar = RunningJar.start(
                directory, LOUD, "--kubeconfig=" + kubeconfig, "--management.endpoints.web.exposure.include=*")) {
            jar.awaitStatus("/actuator/health/liveness", 200);
            awaitLine(jar, "401");
            List<String> paths = new ArrayList<>(endpoints(jar));
            assertThat(paths).anyMatch(path -> path.endsWith("/env")).anyMatch(path -> path.endsWith("/configprops"));
            // Whoever has the memory has all that is in it: it is not shown even where all is exposed.
            assertThat(paths).noneMatch(path -> path.endsWith("/heapdump"));
            paths.add("/actuator/env/some.password");
            paths.add("/no/such/path");
            for (String path : paths) {
                assertThat(body(jar, path)).as(path).doesNotContain(MARK);
            }
            assertSilent(jar);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "token: " + MARK,
                "username: u, password: " + MARK,
            })
    void whatTheUserHasIsInNoLogWhereTheCertificateIsWrong(String user) throws Exception {
        Path kubeconfig = kubeconfig(user, "insecure-skip-tls-verify: false");
        try (RunningJar jar = RunningJar.start(directory, LOUD, "--kubeconfig=" + kubeconfig)) {
            awaitLine(jar, "cannot be reached");
            assertThat(body(jar, "/actuator/health")).doesNotContain(MARK);
            assertSilent(jar);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "token: [" + MARK,
                "token: " + MARK + ": " + MARK,
            })
    void aStartThatFailsDoesNotQuoteTheLine(String user) throws Exception {
        Path kubeconfig = kubeconfig(user, "insecure-skip-tls-verify: true");
        try (RunningJar jar = RunningJar.start(directory, LOUD, "--kubeconfig=" + kubeconfig)) {
            assertThat(jar.exitCode()).isEqualTo(1);
            assertThat(jar.err()).isNotEmpty();
            assertSilent(jar);
        }
    }

    private Path kubeconfig(String user, String cluster) throws IOException {
        return Files.writeString(directory.resolve("kubeconfig"), """
                apiVersion: v1
                kind: Config
                clusters:
                - name: it
                  cluster:
                    server: %s
                    %s
                users:
                - name: it
                  user: {%s}
                contexts:
                - name: it
                  context: {cluster: it, user: it}
                current-context: it
                """.formatted(plane.apiServerUrl(), cluster, user));
    }

    /** All that the actuator links to and that has no variables in its path. */
    private static List<String> endpoints(RunningJar jar) throws Exception {
        JsonObject links =
                JsonParser.parseString(body(jar, "/actuator")).getAsJsonObject().getAsJsonObject("_links");
        return links.asMap().values().stream()
                .map(JsonElement::getAsJsonObject)
                .filter(link -> !link.get("templated").getAsBoolean())
                .map(link -> URI.create(link.get("href").getAsString()).getPath())
                .toList();
    }

    private static String body(RunningJar jar, String path) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + jar.address() + path))
                .header("Authorization", "Bearer " + MARK)
                .build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body();
    }

    private static void awaitLine(RunningJar jar, String text) {
        await(text)
                .atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(100))
                .until(() -> jar.out().stream().anyMatch(line -> line.contains(text)));
    }

    private static void assertSilent(RunningJar jar) {
        List<String> lines =
                Stream.concat(jar.out().stream(), jar.err().stream()).toList();
        assertThat(lines.stream().filter(line -> line.contains(MARK))).isEmpty();
    }
}
