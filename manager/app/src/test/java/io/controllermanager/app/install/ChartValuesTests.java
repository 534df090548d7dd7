package io.controllermanager.app.install;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import io.controllermanager.app.support.Programs.Answer;
import io.controllermanager.app.support.YamlDocument;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The chart's values: each is described where it stands, the README says the same, and what makes no sense is refused. To
 * write the README's table anew, run this test with {@code -Dchart-values.write=true}.
 */
@Tag("system")
class ChartValuesTests {

    private static final Chart CHART = Chart.own();
    private static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();
    private static final Pattern LINE = Pattern.compile("( *)([A-Za-z]+):.*");
    private static final String START = "<!-- Written by ChartValuesTests from values.yaml. -->\n";
    private static final String END = "<!-- The end of the values. -->\n";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "replicas=-1                              | '/replicas': minimum: got -1",
                "replicas=two                             | '/replicas': got string, want integer",
                "replica=2                                | 'replica' not allowed",
                "logging.format=xml                       | '/logging/format': value must be one of 'ecs', 'logstash', 'text'",
                "tls.secretName=A_b                       | '/tls/secretName': 'A_b' does not match",
                "leaderElection.renewDeadline=ten         | '/leaderElection/renewDeadline': 'ten' does not match",
                "namespaces={A}                           | '/namespaces/0': 'A' does not match",
                "service.port=70000                       | '/service/port': maximum: got 70,000",
                "jvm.profile=fast                         | '/jvm/profile': value must be one of 'default', 'throughput'",
                "metrics.serviceMonitor.interval=10       | '/metrics/serviceMonitor/interval'",
                "metrics.serviceMonitor.interval=1m1h     | '/metrics/serviceMonitor/interval': '1m1h' does not match",
                "metrics.prometheusRule.runbookUrl=docs   | '/metrics/prometheusRule/runbookUrl': 'docs' does not match",
                "authentication.metricsReaders[0].name=a  | '/authentication/metricsReaders/0': missing property 'namespace'",
                "leaderElection.enabled=false             | replicas: 2 replicas would all work at once, since leaderElection.enabled is false",
                "leaderElection.leaseDuration=5s          | leaderElection.leaseDuration: 5s must be longer than leaderElection.renewDeadline, 10s",
                "leaderElection.retryPeriod=9s            | leaderElection.renewDeadline: 10s must be longer than 1.2 times leaderElection.retryPeriod, 9s",
                "fullnameOverride=1.2                     | fullnameOverride: the Service would be called 1.2",
                "extraEnv[0].name=JAVA_TOOL_OPTIONS       | extraEnv: instead of JAVA_TOOL_OPTIONS set the values jvm.profile and javaOptions",
                "rights.A_b=x                             | invalid propertyName 'A_b'",
                "rights.website=rules: []                 | image.tag: empty, but rights are given",
                "image.tag=v1,rights.website=a.yaml        | rights.website: no list of rules, but error unmarshaling",
                "image.tag=v1,rights.website=kind: Role    | rights.website: no list of rules, but another content",
                "customResources.websites=x               | customResources: given, but rights are not",
                "image.tag=v1,rights.website=rules: [],customResources.a=kind: Foo | customResources.a: no CustomResourceDefinition, but kind Foo",
                "webhooks.enabled=yes                     | '/webhooks/enabled': value must be one of 'auto', true, false",
                "webhooks.enabled=true                    | webhooks.enabled: true, but the application has none",
                "image.tag=v1,rights.website=rules: [],webhooks.manifests=kind: Foo | webhooks.manifests: no manifests",
                "image.tag=v1,rights.website=rules: [],webhooks.manifests=metadata: {a: b} | webhooks.manifests: given, but rights.webhooks is not",
                "shards.foo=0                             | '/shards/foo': minimum: got 0",
                "shards.foo=257                           | '/shards/foo': maximum: got 257",
                "shards.fo=16                             | shards: no controller is called \"fo\"; known are foo, network",
                "shards.foo=2,leaderElection.enabled=false,replicas=1 | shards: replicas share them by Leases",
                "autoscaling.create=true                  | autoscaling.create: true, but with shards: {} no controller that is on has more than one shard",
                "autoscaling.create=true,shards.foo=2,controllers={network} | autoscaling.create: true, but with shards: {\"foo\":2} no controller that is on",
                "autoscaling.create=true,shards.foo=1      | autoscaling.create: true, but with shards: {\"foo\":1} no controller that is on has more",
                "autoscaling.create=true,shards.foo=2,autoscaling.maxReplicas=1 | autoscaling.maxReplicas: 1 must not be less than autoscaling.minReplicas, 2",
                "podSecurityContext.runAsUsr=1            | invalid propertyName 'runAsUsr'",
                "podSecurityContext.runAsUser=nobody      | '/podSecurityContext/runAsUser': got string, want null or integer",
                "podSecurityContext.fsGroup=-1            | '/podSecurityContext/fsGroup': minimum: got -1",
                "securityContext.fsGroup=1                | invalid propertyName 'fsGroup'",
                "securityContext.privileged=no            | '/securityContext/privileged': got string, want null or boolean",
                "metrics.podMonitor.create=true           | metrics.podMonitor.authorization: empty, but authentication.enabled is true",
            })
    void refusesWhatMakesNoSense(String value, String complaint) throws Exception {
        Answer answer = CHART.template("--set", value);

        assertThat(answer.exitCode()).isNotZero();
        assertThat(answer.err()).contains(complaint);
    }

    /** As {@code ParseDuration} of Prometheus's {@code common/model}. */
    @ParameterizedTest
    @ValueSource(strings = {"0", "15s", "500ms", "1m", "1h30m", "1d", "1w", "1y2w3d4h5m6s7ms"})
    void takesTheDurationsThatPrometheusTakes(String duration) throws Exception {
        List<YamlDocument> release = CHART.documents(
                "--set",
                "metrics.serviceMonitor.create=true",
                "--set-string",
                "metrics.serviceMonitor.interval=" + duration);

        assertThat(YamlDocument.ofKind("ServiceMonitor", release).mapAt("spec", "endpoints", 0))
                .containsEntry("interval", duration);
    }

    @Test
    void theSchemaKnowsTheValuesAndNoOthers() throws IOException {
        YamlDocument schema = YamlDocument.all(read("values.schema.json")).get(0);

        assertSameKeys("", YamlDocument.all(read("values.yaml")).get(0).content(), schema.content());
    }

    private static void assertSameKeys(String path, Map<String, Object> values, Map<String, Object> schema) {
        if (!schema.containsKey("properties")) {
            return;
        }
        Map<String, Object> properties = YamlDocument.map(schema.get("properties"));
        TreeSet<String> known = new TreeSet<>(properties.keySet());
        // Helm's own, which subcharts get.
        known.remove("global");
        if (values.isEmpty() && !path.isEmpty()) {
            return;
        }
        assertThat(known).as("values" + path).isEqualTo(new TreeSet<>(values.keySet()));
        values.forEach((name, value) -> {
            if (value instanceof Map<?, ?>) {
                assertSameKeys(
                        path + "." + name,
                        YamlDocument.map(value),
                        YamlDocument.map(Objects.requireNonNull(properties.get(name))));
            }
        });
    }

    @Test
    void theReadmeDescribesEachValue() throws IOException {
        Path readme = CHART.directory().resolve("README.md");
        String before = Files.readString(readme);
        int start = before.indexOf(START) + START.length();
        String after = before.substring(0, start) + table() + before.substring(before.indexOf(END));
        if (Boolean.getBoolean("chart-values.write")) {
            Files.writeString(readme, after);
        }
        assertThat(Files.readString(readme)).isEqualTo(after);
    }

    /** Comments become descriptions. A map without one holds values; what a map with one holds belongs to its default. */
    private static String table() throws IOException {
        String text = read("values.yaml");
        YamlDocument values = YamlDocument.all(text).get(0);
        StringBuilder table = new StringBuilder("\n| Value | Default | |\n|---|---|---|\n");
        List<String> path = new ArrayList<>();
        List<String> comment = new ArrayList<>();
        int described = Integer.MAX_VALUE;
        for (String line : text.split("\n", -1)) {
            Matcher matcher = LINE.matcher(line);
            if (line.strip().startsWith("#")) {
                comment.add(line.strip().substring(1).strip());
                continue;
            }
            if (!matcher.matches() || matcher.group(1).length() / 2 > described) {
                continue;
            }
            int depth = matcher.group(1).length() / 2;
            described = comment.isEmpty() ? Integer.MAX_VALUE : depth;
            path.subList(depth, path.size()).clear();
            path.add(matcher.group(2));
            Object value = values.at(path.toArray());
            if (comment.isEmpty()) {
                assertThat(value).as(path + " has no description").isInstanceOf(Map.class);
            } else {
                table.append("| `%s` | `%s` | %s |\n"
                        .formatted(String.join(".", path), GSON.toJson(value), String.join(" ", comment)));
            }
            comment.clear();
        }
        return table.append('\n').toString();
    }

    private static String read(String file) throws IOException {
        return Files.readString(CHART.directory().resolve(file));
    }
}
