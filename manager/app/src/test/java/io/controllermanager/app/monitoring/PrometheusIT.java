package io.controllermanager.app.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.app.monitoring.AlertRules.Alert;
import io.controllermanager.app.monitoring.AlertRules.Promtool;
import io.controllermanager.app.process.RunningJar;
import io.controllermanager.app.support.Manifests;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.yaml.snakeyaml.Yaml;

/** A real Prometheus reads what a process at work exports, and is asked what dashboards and alerts ask. */
@Tag("system")
class PrometheusIT {

    /** What a ServiceMonitor has Prometheus add. */
    private static final Map<String, String> TARGET = Map.of("job", "manager", "namespace", "ops", "pod", "manager-0");

    /** Series that are there only while something is wrong, or where webhooks are served; other tests tell that they are. */
    private static final Set<String> ONLY_AT_TIMES =
            Set.of("reflector_missing_permission", "controller_manager_webhook_certificate_expiry_timestamp_seconds");

    @TempDir
    static Path directory;

    private static ApiServer server;
    private static RunningJar process;
    private static PrometheusServer prometheus;

    @BeforeAll
    static void start() throws Exception {
        server = ApiServer.builder().world(true).start();
        Path kubeconfig = Files.writeString(directory.resolve("kubeconfig"), server.kubeconfig());
        Manifests.applyAll(kubeconfig);
        process = RunningJar.startWithMoreControllers(
                directory,
                "--kubeconfig",
                kubeconfig.toString(),
                "--controllers=*,moody",
                "--controller-manager.controller.foo.shards=2");
        prometheus = PrometheusServer.start(directory, process.address(), TARGET, AlertRules.FILE);
        prometheus.awaitReady();
        await("enough for a rate, and a reconcile of each result")
                .until(() -> prometheus
                                .series(
                                        "rate(controller_runtime_reconcile_total{controller=\"moody\",result!=\"success\"}[1m]) > 0")
                                .size()
                        == 3);
    }

    @AfterAll
    static void stop() {
        prometheus.close();
        process.close();
        server.close();
    }

    /**
     * The dashboards that kubebuilder scaffolds and has in its test data, project-v4-with-plugins/grafana, both as of its
     * commit 5c40072: for each query the metric, how it is asked for, what the answer is grouped by, and the labels of
     * the legend.
     */
    @ParameterizedTest
    @CsvSource({
        "controller_runtime_active_workers, AS_IS, '', controller instance",
        "controller_runtime_reconcile_total, RATE, instance pod, instance pod",
        "controller_runtime_reconcile_errors_total, RATE, instance pod, instance pod",
        "workqueue_depth, AS_IS, '', name controller",
        "workqueue_queue_duration_seconds, QUANTILE, instance name, name instance",
        "workqueue_adds_total, RATE, instance name, name instance",
        "workqueue_unfinished_work_seconds, RATE_OF_EACH, '', name controller",
        "workqueue_work_duration_seconds, QUANTILE, instance name, name instance",
        "workqueue_retries_total, RATE, instance name, name instance",
        "process_cpu_seconds_total, RATE_OF_EACH, '', pod",
        "process_resident_memory_bytes, AS_IS, '', pod"
    })
    void kubebuildersDashboardsShowThisProduct(String metric, Shape shape, String grouping, String legend) {
        for (Map<String, String> series : queried(shape.of(metric, "job=\"manager\", namespace=\"ops\"", grouping))) {
            assertThat(series).containsKeys(legend.split(" "));
        }
    }

    /** How a dashboard asks for a metric. */
    private enum Shape {
        AS_IS {
            @Override
            String of(String metric, String matchers, String grouping) {
                return metric + "{" + matchers + "}";
            }
        },
        RATE_OF_EACH {
            @Override
            String of(String metric, String matchers, String grouping) {
                return "rate(" + AS_IS.of(metric, matchers, grouping) + "[5m])";
            }
        },
        RATE {
            @Override
            String of(String metric, String matchers, String grouping) {
                return "sum(" + RATE_OF_EACH.of(metric, matchers, grouping) + ") by (" + grouping.replace(' ', ',')
                        + ")";
            }
        },
        QUANTILE {
            @Override
            String of(String metric, String matchers, String grouping) {
                return "histogram_quantile(0.9, " + RATE.of(metric + "_bucket", matchers, grouping + " le") + ")";
            }
        };

        abstract String of(String metric, String matchers, String grouping);
    }

    /** They choose namespace, job and pod from those that have this metric. */
    @Test
    void kubebuildersVariablesHaveValues() {
        assertThat(queried("controller_runtime_reconcile_total"))
                .allSatisfy(series -> assertThat(series).containsAllEntriesOf(TARGET));
    }

    @Test
    void eachPanelOfTheDashboardHasDataAndItsLegendsLabels() throws Exception {
        for (Map<String, Object> panel : Dashboard.panels()) {
            AlertRules.maps(panel, "targets").forEach(target -> {
                String query = withValues(AlertRules.value(target, "expr"));
                if (ONLY_AT_TIMES.stream().anyMatch(query::contains)) {
                    prometheus.series(query);
                    return;
                }
                List<Map<String, String>> found = queried(query);
                Set<String> labels = found.stream()
                        .flatMap(series -> series.keySet().stream())
                        .collect(Collectors.toSet());
                assertThat(labels).as(panel.get("title") + ": " + query).containsAll(legend(target));
            });
        }
    }

    private static List<String> legend(Map<String, Object> target) {
        return Pattern.compile("\\{\\{(\\w+)}}")
                .matcher(AlertRules.<String>value(target, "legendFormat"))
                .results()
                .map(label -> label.group(1))
                .toList();
    }

    @Test
    void theDashboardsVariablesHaveValues() throws Exception {
        Map<String, Object> dashboard = new Yaml().load(Files.readString(Dashboard.FILE));
        List<String> queries = AlertRules.maps(AlertRules.value(dashboard, "templating"), "list")
                .filter(variable -> "query".equals(variable.get("type")))
                .map(variable -> AlertRules.<String>value(variable, "definition"))
                .toList();
        assertThat(queries).hasSize(3).allSatisfy(query -> {
            MatchResult parts = Pattern.compile("label_values\\((.*), (\\w+)\\)")
                    .matcher(query)
                    .results()
                    .findFirst()
                    .orElseThrow();
            assertThat(queried(withValues(parts.group(1))))
                    .allSatisfy(series -> assertThat(series).containsKey(parts.group(2)));
        });
    }

    private static String withValues(String query) {
        return query.replace("$namespace", "ops")
                .replace("$job", "manager")
                .replace("$controller", ".*")
                .replace("$__rate_interval", "1m");
    }

    @Test
    void eachAlertAsksForWhatIsThere() throws Exception {
        for (Alert alert : AlertRules.all()) {
            PromQl query = PromQl.of(alert.expression());
            assertThat(query.selectors()).as(alert.name()).isNotEmpty();
            Set<String> labels = new HashSet<>();
            for (String selector : query.selectors()) {
                if (!ONLY_AT_TIMES.contains(PromQl.metric(selector))) {
                    // A code that no request had is no mistake.
                    String asked = selector.contains("{code=") ? PromQl.metric(selector) : selector;
                    queried(asked).forEach(series -> labels.addAll(series.keySet()));
                }
            }
            if (query.selectors().stream().map(PromQl::metric).noneMatch(ONLY_AT_TIMES::contains)) {
                assertThat(labels).as(alert.name()).containsAll(query.labels());
            }
        }
    }

    @Test
    void rulesCanBeEvaluatedAndNoneFires() {
        await("each has been evaluated")
                .until(() -> prometheus.rules().stream().noneMatch(rule -> "unknown".equals(rule.get("health"))));
        assertThat(prometheus.rules()).hasSizeGreaterThan(20).allSatisfy(rule -> {
            assertThat(rule).containsEntry("health", "ok");
            assertThat(rule.get("state")).as(rule.toString()).isNotEqualTo("firing");
        });
    }

    @Test
    void underLoadPromtoolHasNothingToSay() throws Exception {
        assertThat(AlertRules.promtool(process.body("/actuator/prometheus"), "check", "metrics"))
                .isEqualTo(new Promtool(0, ""));
    }

    @Test
    void seriesDoNotGrowWithWhatStrangersAskFor() {
        ask("once");
        long before = httpSeries().count();
        IntStream.range(0, 100).mapToObj(i -> "again" + i).forEach(PrometheusIT::ask);
        assertThat(httpSeries().count()).isEqualTo(before);
        assertThat(httpSeries()).noneMatch(line -> line.contains("again"));
    }

    private static void ask(String word) {
        assertThat(process.status("/" + word)).isEqualTo(404);
        assertThat(process.status("/actuator/" + word)).isEqualTo(404);
        assertThat(process.status("/actuator/controllers/" + word)).isEqualTo(404);
        assertThat(process.status("/actuator/health/" + word)).isEqualTo(404);
        assertThat(process.status("/actuator/metrics/" + word)).isEqualTo(404);
        assertThat(process.status("/actuator/health?" + word + "=" + word)).isEqualTo(200);
        assertThat(process.status(word.toUpperCase(Locale.ROOT), "/actuator/health"))
                .isBetween(400, 599);
    }

    private static Stream<String> httpSeries() {
        return process.body("/actuator/prometheus")
                .lines()
                .filter(line -> line.startsWith("http_server_requests_seconds_count"));
    }

    private static List<Map<String, String>> queried(String query) {
        List<Map<String, String>> series = prometheus.series(query);
        assertThat(series).as(query).isNotEmpty();
        return series;
    }
}
