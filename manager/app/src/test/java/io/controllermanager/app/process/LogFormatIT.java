package io.controllermanager.app.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.controllermanager.apiserver.ApiServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a process writes to its standard output in each format, over a life with a reconcile that fails. */
@Tag("system")
class LogFormatIT {

    private static final String MESSAGE = "first \"line\"\nsecond line\t\u00fc\u4e16\u0007";

    @TempDir
    Path directory;

    @Test
    void everyLineIsAnEcsDocument() throws Exception {
        List<JsonObject> lines = lines("ecs");
        for (JsonObject line : lines) {
            assertThat(OffsetDateTime.parse(text(line, "@timestamp"))).isNotNull();
            assertThat(text(line, "log", "level")).isIn("INFO", "WARN", "ERROR");
            assertThat(text(line, "log", "logger")).isNotEmpty();
            assertThat(text(line, "process", "thread", "name")).isNotEmpty();
            assertThat(text(line, "message")).isNotEmpty();
            assertThat(text(line, "service", "name")).isEqualTo("controller-manager");
            assertThat(text(line, "service", "version")).matches("\\d+\\.\\d+.*");
            assertThat(text(line, "service", "node", "name")).isEqualTo("pod-1");
        }
        JsonObject failed = line(lines, "Reconcile of failing ns/odd failed, and is retried");
        assertThat(text(failed, "log", "level")).isEqualTo("ERROR");
        assertKey(failed);
        assertThat(text(failed, "cause")).startsWith("IllegalStateException: first \"line\" second line");
        assertThat(text(failed, "error", "type")).isEqualTo("java.lang.IllegalStateException");
        assertThat(text(failed, "error", "message")).isEqualTo(MESSAGE);
        assertThat(text(failed, "error", "stack_trace")).contains(MESSAGE, "\n\tat ");
        JsonObject trying = line(lines, "Trying");
        assertKey(trying);
        assertClashes(trying);
        assertThat(text(trying, "_controller", "kind")).isEqualTo("odd");
        assertThat(text(trying, "error", "message")).isEqualTo("inner");
    }

    @Test
    void everyLineIsALogstashDocument() throws Exception {
        List<JsonObject> lines = lines("logstash");
        for (JsonObject line : lines) {
            assertThat(OffsetDateTime.parse(text(line, "@timestamp"))).isNotNull();
            assertThat(text(line, "@version")).isEqualTo("1");
            assertThat(text(line, "level")).isIn("INFO", "WARN", "ERROR");
            assertThat(text(line, "logger_name")).isNotEmpty();
            assertThat(text(line, "thread_name")).isNotEmpty();
            assertThat(text(line, "message")).isNotEmpty();
        }
        JsonObject failed = line(lines, "Reconcile of failing ns/odd failed, and is retried");
        assertThat(text(failed, "level")).isEqualTo("ERROR");
        assertKey(failed);
        assertThat(text(failed, "cause")).startsWith("IllegalStateException: first \"line\" second line");
        assertThat(text(failed, "stack_trace")).contains(MESSAGE, "\n\tat ");
        JsonObject trying = line(lines, "Trying");
        assertKey(trying);
        assertClashes(trying);
        assertThat(text(trying, "_controller.kind")).isEqualTo("odd");
    }

    @Test
    void textIsForPeople() throws Exception {
        List<String> lines = run();

        assertThat(lines.get(0))
                .matches("\\d{4}-\\d\\d-\\d\\dT[0-9:.]+\\S+  INFO .* : API server: http://.*, by kubeconfig .*");
        assertThat(lines)
                .as("what a reconciler logs says which object it is about")
                .anyMatch(line -> line.matches(".*\\[failing ns/odd] .* : Trying.*"));
        assertThat(lines)
                .anyMatch(line -> line.matches(".* ERROR .* : Reconcile of failing ns/odd failed, and is retried.*"
                        + ": IllegalStateException: first \"line\" second line.*"));
        assertThat(lines).anyMatch(line -> line.startsWith("\tat "));
    }

    @Test
    void levelsChangeAtOnceAlsoByGroup() throws Exception {
        try (ApiServer server = ApiServer.start();
                RunningJar process = start(server, "--management.endpoint.loggers.access=unrestricted")) {
            await("it reconciles").until(() -> process.out().stream().anyMatch(line -> line.contains("Trying")));
            assertThat(process.out()).noneMatch(line -> line.contains("Only in detail"));
            assertThat(process.post("/actuator/loggers/com.example.failing", "{\"configuredLevel\":\"DEBUG\"}")
                            .statusCode())
                    .isEqualTo(204);
            await("debug lines come")
                    .until(() -> process.out().stream().anyMatch(line -> line.contains("Only in detail")));

            for (String group :
                    List.of("client", "informers", "workqueue", "leader-election", "events", "controllers")) {
                assertThat(process.post("/actuator/loggers/" + group, "{\"configuredLevel\":\"DEBUG\"}")
                                .statusCode())
                        .as(group)
                        .isEqualTo(204);
                assertThat(process.body("/actuator/loggers/" + group)).contains("DEBUG", "io.controllermanager.");
            }
            assertThat(process.body("/actuator/loggers/io.controllermanager.recorder.internal.EventBroadcaster"))
                    .contains("\"effectiveLevel\":\"DEBUG\"");
        }
    }

    private List<JsonObject> lines(String format) throws Exception {
        List<JsonObject> lines = run(
                        "--logging.structured.format.console=" + format,
                        "--logging.structured.ecs.service.node-name=pod-1")
                .stream()
                .map(line -> JsonParser.parseString(line).getAsJsonObject())
                .toList();
        assertThat(lines).extracting(line -> text(line, "message")).contains("Controller manager stopped");
        return lines;
    }

    /** All that a process said that reconciled, failed at it and was stopped. */
    private List<String> run(String... arguments) throws Exception {
        try (ApiServer server = ApiServer.start();
                RunningJar process = start(server, arguments)) {
            await("it fails to reconcile")
                    .until(() -> process.out().stream().anyMatch(line -> line.contains("is retried")));
            process.awaitStatus("/actuator/loggers", 200);
            assertThat(process.post("/actuator/loggers/com.example.failing", "{\"configuredLevel\":\"DEBUG\"}")
                            .statusCode())
                    .as("levels are read-only unless somebody allows it")
                    .isEqualTo(405);
            process.terminate();
            assertThat(process.exitCode()).isZero();
            assertThat(process.err()).isEmpty();
            return process.out();
        }
    }

    private RunningJar start(ApiServer server, String... arguments) throws IOException, InterruptedException {
        Path kubeconfig = Files.writeString(directory.resolve("kubeconfig"), server.kubeconfig());
        return RunningJar.startWithMoreControllers(
                directory,
                Stream.concat(
                                Stream.of(
                                        "--kubeconfig=" + kubeconfig,
                                        "--controllers=failing",
                                        "--controller-manager.controller.failing.rate-limiter.max-backoff=100ms"),
                                Stream.of(arguments))
                        .toArray(String[]::new));
    }

    private static JsonObject line(List<JsonObject> lines, String message) {
        return lines.stream()
                .filter(line -> text(line, "message").startsWith(message))
                .findFirst()
                .orElseThrow(() -> new AssertionError(message + " is not in " + lines));
    }

    private static void assertKey(JsonObject line) {
        assertThat(text(line, "controller")).isEqualTo("failing");
        assertThat(text(line, "namespace")).isEqualTo("ns");
        assertThat(text(line, "name")).isEqualTo("odd");
        assertThat(text(line, "reconcileID")).isNotEmpty();
    }

    private static void assertClashes(JsonObject line) {
        assertThat(text(line, "_name")).isEqualTo("another");
        assertThat(text(line, "_message")).isEqualTo("of the object");
        assertThat(text(line, "_error")).isEqualTo("not yet");
        assertThat(text(line, "reason")).isEqualTo("Testing");
        assertThat(line.has("_namespace")).isFalse();
    }

    private static String text(JsonObject line, String... path) {
        JsonObject at = line;
        for (int i = 0; i < path.length - 1; i++) {
            assertThat(at.has(path[i])).as(path[i] + " in " + line).isTrue();
            at = at.getAsJsonObject(path[i]);
        }
        String last = path[path.length - 1];
        assertThat(at.has(last)).as(last + " in " + line).isTrue();
        return at.get(last).getAsString();
    }
}
