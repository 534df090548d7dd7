package io.controllermanager.app.monitoring;

import io.controllermanager.app.support.Manifests;
import io.controllermanager.testing.support.SystemPrograms;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.yaml.snakeyaml.Yaml;

/** The alert rules as they are shipped. */
public final class AlertRules {

    /** The rules as a PrometheusRule object. */
    static final Path OBJECT = Manifests.configDirectory().resolve("prometheus/alerts.yaml");

    /** The same as a file of rules. */
    static final Path FILE = Manifests.configDirectory().resolveSibling("charts/controller-manager/files/alerts.yaml");

    private AlertRules() {}

    /**
     * One alert.
     *
     * @param name unique among all
     * @param expression in PromQL
     * @param labels what it adds to the labels of its series
     * @param annotations what people are told, as a template
     */
    public record Alert(String name, String expression, Map<String, String> labels, Map<String, String> annotations) {}

    public static List<Alert> all() throws IOException {
        return all(new Yaml().<Map<String, Object>>load(Files.readString(FILE)));
    }

    /** Those of the groups that a file of rules has, or the spec of a PrometheusRule. */
    public static List<Alert> all(Map<String, Object> rules) {
        return maps(rules, "groups")
                .flatMap(group -> maps(group, "rules"))
                .map(rule -> new Alert(
                        value(rule, "alert"), value(rule, "expr"), value(rule, "labels"), value(rule, "annotations")))
                .toList();
    }

    static Stream<Map<String, Object>> maps(Map<String, Object> map, String key) {
        return AlertRules.<List<Map<String, Object>>>value(map, key).stream();
    }

    /** What must be there, as what it must be. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    public static <T> T value(Map<String, ?> map, String key) {
        return (T) Objects.requireNonNull(map.get(key), key);
    }

    /** Runs promtool and gives what it said; empty input is none. */
    static Promtool promtool(String input, String... arguments) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Stream.concat(Stream.of(SystemPrograms.PROMTOOL.path().toString()), Stream.of(arguments))
                                .toList())
                .redirectErrorStream(true)
                .start();
        try (var stdin = process.getOutputStream()) {
            stdin.write(input.getBytes(StandardCharsets.UTF_8));
        }
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Promtool(process.waitFor(), output);
    }

    record Promtool(int exitCode, String output) {}
}
