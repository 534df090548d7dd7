package io.controllermanager.app.monitoring;

import static org.awaitility.Awaitility.await;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.controllermanager.app.process.HttpAnswer;
import io.controllermanager.testing.controlplane.Ports;
import io.controllermanager.testing.support.SystemPrograms;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/** Prometheus, which reads one process's metrics every second and adds the labels that a ServiceMonitor would add. */
final class PrometheusServer implements AutoCloseable {

    private final Process process;
    private final URI url;
    private final Path log;

    private PrometheusServer(Process process, URI url, Path log) {
        this.process = process;
        this.url = url;
        this.log = log;
    }

    static PrometheusServer start(Path directory, String target, Map<String, String> labels, Path rules)
            throws IOException {
        Path config = Files.writeString(directory.resolve("prometheus.yml"), """
                global:
                  scrape_interval: 1s
                  evaluation_interval: 1s
                rule_files: ['%s']
                scrape_configs:
                  - job_name: %s
                    metrics_path: /actuator/prometheus
                    static_configs:
                      - targets: ['%s']
                        labels: %s
                """.formatted(
                        rules,
                        labels.get("job"),
                        target,
                        labels.entrySet().stream()
                                .filter(label -> !label.getKey().equals("job"))
                                .map(label -> "'" + label.getKey() + "': '" + label.getValue() + "'")
                                .collect(Collectors.joining(", ", "{", "}"))));
        String address = "127.0.0.1:" + Ports.free();
        Path log = directory.resolve("prometheus.log");
        Process process = new ProcessBuilder(
                        SystemPrograms.PROMETHEUS.path().toString(),
                        "--config.file=" + config,
                        "--storage.tsdb.path=" + directory.resolve("tsdb"),
                        "--web.listen-address=" + address,
                        "--log.level=warn")
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        return new PrometheusServer(process, URI.create("http://" + address), log);
    }

    void awaitReady() {
        await("Prometheus answers")
                .failFast(() -> {
                    if (!process.isAlive()) {
                        throw new IllegalStateException(Files.readString(log));
                    }
                })
                .until(() -> get("/-/ready").statusCode() == 200);
    }

    /**
     * The series that a query gives now, each by its labels.
     *
     * @throws AssertionError if Prometheus refuses the query
     */
    List<Map<String, String>> series(String query) {
        String path = "/api/v1/query?query=" + URLEncoder.encode(query, StandardCharsets.UTF_8);
        return StreamSupport.stream(data(path).getAsJsonArray("result").spliterator(), false)
                .map(series -> strings(series.getAsJsonObject().getAsJsonObject("metric")))
                .toList();
    }

    /** What it says of each rule: name, health, state and last error. */
    List<Map<String, String>> rules() {
        return StreamSupport.stream(
                        data("/api/v1/rules").getAsJsonArray("groups").spliterator(), false)
                .flatMap(group -> StreamSupport.stream(
                        group.getAsJsonObject().getAsJsonArray("rules").spliterator(), false))
                .map(rule -> strings(rule.getAsJsonObject()))
                .toList();
    }

    private JsonObject data(String path) {
        HttpAnswer response = get(path);
        if (response.statusCode() != 200) {
            throw new AssertionError(path + ": " + response.body());
        }
        return JsonParser.parseString(response.body()).getAsJsonObject().getAsJsonObject("data");
    }

    private static Map<String, String> strings(JsonObject object) {
        return object.entrySet().stream()
                .filter(entry -> entry.getValue().isJsonPrimitive())
                .collect(Collectors.toMap(Map.Entry::getKey, entry -> text(entry.getValue())));
    }

    private static String text(JsonElement value) {
        return value.getAsString();
    }

    private HttpAnswer get(String path) {
        return HttpAnswer.to(HttpRequest.newBuilder(url.resolve(path)).build());
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
