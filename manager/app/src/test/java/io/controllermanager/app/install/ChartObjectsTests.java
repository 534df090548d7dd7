package io.controllermanager.app.install;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.app.install.Chart.Rendered;
import io.controllermanager.app.monitoring.AlertRules;
import io.controllermanager.app.support.Manifests;
import io.controllermanager.app.support.YamlDocument;
import io.kubernetes.client.openapi.models.V1ClusterRole;
import io.kubernetes.client.openapi.models.V1ClusterRoleBinding;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1NetworkPolicy;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1Probe;
import io.kubernetes.client.openapi.models.V1Role;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1ServiceAccount;
import io.kubernetes.client.openapi.models.V2HorizontalPodAutoscaler;
import io.kubernetes.client.openapi.models.V2MetricIdentifier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What else the chart makes of its values, apart from what controllers may do. */
@Tag("system")
class ChartObjectsTests {

    private static final Chart CHART = Chart.own();
    private static final String NAME = "cm-controller-manager-system";
    private static final String LABEL = "app.kubernetes.io/name";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "                                                                      | 45",
                "shutdownTimeoutSeconds=100                                            | 115",
                "leaderElection.renewDeadline=1m30s,leaderElection.leaseDuration=2m    | 125",
                "leaderElection.renewDeadline=1h1.5s,leaderElection.leaseDuration=2h   | 3637",
                "leaderElection.renewDeadline=4500ms                                   | 40",
                "leaderElection.enabled=false,replicas=1                               | 35",
            })
    void waitsLongerThanTheProcessTakesToStop(String values, long seconds) throws Exception {
        assertThat(CHART.render("--set", values == null ? "replicas=2" : values)
                        .pod()
                        .getTerminationGracePeriodSeconds())
                .isEqualTo(seconds);
    }

    @Test
    void runsTwoReplicasApartFromEachOther() throws Exception {
        Rendered release = CHART.render();

        assertThat(release.one(V1Deployment.class).getSpec().getReplicas()).isEqualTo(2);
        assertThat(release.one(V1PodDisruptionBudget.class).getSpec().getMaxUnavailable())
                .hasToString("1");
        V1PodSpec pod = release.pod();
        Map<String, String> selector =
                release.one(V1Deployment.class).getSpec().getSelector().getMatchLabels();
        assertThat(pod.getAffinity().getPodAntiAffinity().getPreferredDuringSchedulingIgnoredDuringExecution())
                .singleElement()
                .satisfies(term -> assertThat(
                                term.getPodAffinityTerm().getLabelSelector().getMatchLabels())
                        .isEqualTo(selector));
        assertThat(pod.getTopologySpreadConstraints())
                .singleElement()
                .satisfies(
                        constraint -> assertThat(constraint.getLabelSelector().getMatchLabels())
                                .isEqualTo(selector));
        assertThat(release.one(V1Service.class).getSpec().getSelector()).isEqualTo(selector);
    }

    @Test
    void leavesTheNumberOfReplicasToAnAutoscaler() throws Exception {
        Rendered release = CHART.render("--set", "replicas=1,autoscaling.create=true,shards.foo=16,shards.network=1");

        assertThat(release.one(V1Deployment.class).getSpec().getReplicas()).isNull();
        assertThat(release.all(V1PodDisruptionBudget.class)).hasSize(1);
        V2HorizontalPodAutoscaler autoscaler = release.one(V2HorizontalPodAutoscaler.class);
        assertThat(autoscaler.getSpec().getScaleTargetRef().getName())
                .isEqualTo(release.one(V1Deployment.class).getMetadata().getName());
        assertThat(autoscaler.getSpec().getMetrics()).singleElement().satisfies(metric -> {
            V2MetricIdentifier depth = metric.getPods().getMetric();
            assertThat(depth.getName()).isEqualTo("workqueue_depth");
            assertThat(depth.getSelector().getMatchExpressions())
                    .singleElement()
                    .satisfies(in -> assertThat(in.getValues()).containsExactly("foo"));
            assertThat(metric.getPods().getTarget().getAverageValue().getNumber())
                    .isEqualByComparingTo("100");
        });
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "replicas=1                                                           | true",
                "replicas=2                                                           | false",
                "replicas=1,autoscaling.create=true,shards.foo=2                      | false",
                "replicas=2,autoscaling.create=true,shards.foo=2,autoscaling.minReplicas=1 | true",
            })
    void warnsWhereNobodyMayStandBy(String values, boolean warns) throws Exception {
        assertThat(CHART.notes("--set", values).contains("WARNING: nobody stands by"))
                .isEqualTo(warns);
    }

    @Test
    void leavesASingleReplicaToDrains() throws Exception {
        assertThat(CHART.render("--set", "replicas=1").all(V1PodDisruptionBudget.class))
                .isEmpty();
    }

    @Test
    void keepsItsOwnLabelsOnPods() throws Exception {
        Rendered release = CHART.render("--set-json", "podLabels={\"app.kubernetes.io/name\":\"x\",\"team\":\"a\"}");

        assertThat(release.one(V1Deployment.class)
                        .getSpec()
                        .getTemplate()
                        .getMetadata()
                        .getLabels())
                .containsEntry("team", "a")
                .containsAllEntriesOf(
                        release.one(V1Deployment.class).getSpec().getSelector().getMatchLabels());
    }

    @Test
    void asksForTokensUnlessToldNotTo() throws Exception {
        String argument = "--controller-manager.endpoints.authentication.enabled=true";
        Rendered asking = CHART.render();
        Rendered open = CHART.render("--set", "authentication.enabled=false");

        assertThat(asking.arguments()).contains(argument);
        assertThat(asking.named(V1ClusterRoleBinding.class, NAME + "-auth-delegator")
                        .getRoleRef()
                        .getName())
                .isEqualTo("system:auth-delegator");
        assertThat(open.arguments()).doesNotContain(argument);
        assertThat(open.names(V1ClusterRoleBinding.class)).containsExactly(NAME);
        assertThat(open.names(V1ClusterRole.class)).doesNotContain(NAME + "-metrics-reader", NAME + "-endpoint-reader");
    }

    @Test
    void hasARoleForPeopleUnlessItKeepsToNamespaces() throws Exception {
        Rendered release = CHART.render();

        assertThat(release.named(V1ClusterRole.class, NAME + "-endpoint-reader").getRules())
                .singleElement()
                .satisfies(rule -> assertThat(rule.getNonResourceURLs())
                        .containsExactly("/actuator", "/actuator/*", "/flagz", "/statusz"))
                .satisfies(rule -> assertThat(rule.getVerbs()).containsExactly("get"));
        assertThat(release.names(V1ClusterRoleBinding.class)).doesNotContain(NAME + "-endpoint-reader");
        assertThat(CHART.render("--set", "namespaces={a}").names(V1ClusterRole.class))
                .doesNotContain(NAME + "-endpoint-reader");
    }

    @Test
    void letsThoseReadMetricsWhoAreNamed() throws Exception {
        Rendered release = CHART.render(
                "--set", "namespaces={a},authentication.metricsReaders[0].name=prometheus",
                "--set", "authentication.metricsReaders[0].namespace=monitoring");

        assertThat(release.named(V1ClusterRole.class, NAME + "-metrics-reader").getRules())
                .singleElement()
                .satisfies(rule -> assertThat(rule.getNonResourceURLs())
                        .containsExactly("/actuator/prometheus", "/flagz", "/statusz"))
                .satisfies(rule -> assertThat(rule.getVerbs()).containsExactly("get"));
        assertThat(release.named(V1ClusterRoleBinding.class, NAME + "-metrics-reader")
                        .getSubjects())
                .singleElement()
                .satisfies(subject -> assertThat(subject.getName()).isEqualTo("prometheus"))
                .satisfies(subject -> assertThat(subject.getNamespace()).isEqualTo("monitoring"));
    }

    @Test
    void servesHttpsWithTheSecretNamed() throws Exception {
        Rendered release = CHART.render("--set", "tls.secretName=pair");

        assertThat(release.arguments())
                .contains("--server.ssl.bundle=server", "--spring.ssl.bundle.pem.server.reload-on-update=true");
        V1PodSpec pod = release.pod();
        assertThat(Stream.of(
                        pod.getContainers().get(0).getStartupProbe(),
                        pod.getContainers().get(0).getLivenessProbe(),
                        pod.getContainers().get(0).getReadinessProbe()))
                .extracting(V1Probe::getHttpGet)
                .allSatisfy(probe -> assertThat(probe.getScheme()).isEqualTo("HTTPS"))
                .allSatisfy(probe -> assertThat(probe.getPort()).hasToString("https"));
        assertThat(pod.getVolumes())
                .filteredOn(volume -> volume.getSecret() != null)
                .singleElement()
                .satisfies(
                        volume -> assertThat(volume.getSecret().getSecretName()).isEqualTo("pair"));
        assertThat(release.one(V1Service.class).getSpec().getPorts())
                .singleElement()
                .satisfies(port -> assertThat(port.getName()).isEqualTo("https"));
    }

    @ParameterizedTest
    @CsvSource({
        "ecs, --logging.structured.format.console=ecs",
        "logstash, --logging.structured.format.console=logstash",
        "text,",
    })
    void writesLogsAsTold(String format, String argument) throws Exception {
        List<String> arguments = CHART.render("--set", "logging.format=" + format, "--set", "logging.level.root=warn")
                .arguments();

        assertThat(arguments)
                .filteredOn(each -> each.startsWith("--logging.structured"))
                .isEqualTo(argument == null ? List.of() : List.of(argument));
        assertThat(arguments).contains("--logging.level.root=warn");
    }

    @Test
    void carriesTheCrdsOfConfig() throws IOException {
        assertThat(CHART.directory().resolve("files/crds"))
                .satisfies(carried -> assertThat(Chart.contents(carried))
                        .isNotEmpty()
                        .isEqualTo(Chart.contents(Manifests.configDirectory().resolve("crd/bases"))));
    }

    @Test
    void installsTheCrdsOfControllersThatAreOnAndLeavesThemBehind() throws Exception {
        assertThat(crds()).containsExactly("foos.samplecontroller.k8s.io", "networks.sample.k8s.io");
        assertThat(crds("--set", "controllers={foo}")).containsExactly("foos.samplecontroller.k8s.io");
        assertThat(crds("--set", "crds.install=false")).isEmpty();
        assertThat(YamlDocument.ofKind("CustomResourceDefinition", CHART.documents("--set", "controllers={network}"))
                        .mapAt("metadata", "annotations"))
                .containsEntry("helm.sh/resource-policy", "keep")
                .containsKey("api-approved.kubernetes.io");
    }

    /** A CRD needs neither annotations nor a singular, which the API server makes of the kind. */
    @Test
    void givesAnotherApplicationItsReleasesNameAndItsCrds(@TempDir Path directory) throws Exception {
        String values = "--values=" + CHART.directory().resolve("ci/own-application-values.yaml");

        Rendered release = CHART.render(values);
        assertThat(release.one(V1Deployment.class).getMetadata().getName()).isEqualTo("cm");
        assertThat(release.one(V1Deployment.class).getMetadata().getLabels())
                .containsEntry(LABEL, "cm")
                .containsEntry("app.kubernetes.io/version", "1.2.0");
        assertThat(release.pod().getContainers().get(0).getImage()).isEqualTo("registry.example.com/website:1.2.0");
        assertThat(release.arguments()).contains("--leader-elect-resource-name=cm");
        assertThat(release.names(V1ClusterRole.class)).contains("cm-system-website-editor", "cm-system-website-viewer");
        assertThat(CHART.render(values, "--set=nameOverride=website").arguments())
                .contains("--leader-elect-resource-name=cm-website");
        assertThat(CHART.notes(values))
                .contains("cm 1.2.0 runs as cm in namespace system", "localhost:8080/controller-manager ")
                .doesNotContain("foo");

        assertThat(crds(values)).containsExactly("websites.example.com");
        assertThat(YamlDocument.ofKind("CustomResourceDefinition", CHART.documents(values))
                        .mapAt("metadata", "annotations"))
                .containsOnly(Map.entry("helm.sh/resource-policy", "keep"));
        Path both = Files.writeString(
                directory.resolve("crds.yaml"),
                String.join(
                        "---\n",
                        Chart.contents(CHART.directory().resolve("files/crds")).values()));
        assertThat(crds(values, "--set-file=customResources.others=" + both))
                .containsExactly("foos.samplecontroller.k8s.io", "networks.sample.k8s.io", "websites.example.com");
    }

    private static List<Object> crds(String... options) throws Exception {
        return CHART.documents(options).stream()
                .filter(document -> "CustomResourceDefinition".equals(document.at("kind")))
                .map(document -> document.at("metadata", "name"))
                .toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "controllers={*}                                             | foo-editor,foo-viewer,network-editor,network-viewer",
                "controllers={foo}                                           | foo-editor,foo-viewer",
                "controllers={foo},namespaces={a}                            |",
                "controllers={foo},namespaces={a},aggregatedRoles.create=true | foo-editor,foo-viewer",
                "controllers={foo},aggregatedRoles.create=false              |",
                "crds.install=false,controllers={network}                    | network-editor,network-viewer",
            })
    void letsPeopleAtTheKindsOfControllersThatAreOn(String values, String roles) throws Exception {
        assertThat(CHART.render("--set", values).all(V1ClusterRole.class))
                .filteredOn(role -> role.getMetadata().getLabels().keySet().stream()
                        .anyMatch(label -> label.startsWith("rbac.authorization.k8s.io/aggregate-to-")))
                .extracting(role -> role.getMetadata().getName().substring(NAME.length() + 1))
                .isEqualTo(roles == null ? List.of() : List.of(roles.split(",")));
    }

    @Test
    void leavesRightsToOthersWhereTold() throws Exception {
        Rendered release = CHART.render(
                "--set",
                "rbac.create=false,aggregatedRoles.create=false,serviceAccount.create=false,serviceAccount.name=given");

        assertThat(release.all(V1ClusterRole.class)).isEmpty();
        assertThat(release.all(V1ClusterRoleBinding.class)).isEmpty();
        assertThat(release.all(V1Role.class)).isEmpty();
        assertThat(release.all(V1ServiceAccount.class)).isEmpty();
        assertThat(release.pod().getServiceAccountName()).isEqualTo("given");
    }

    @Test
    void sendsPrometheusToTheMetricsWithItsToken() throws Exception {
        List<YamlDocument> plain = CHART.documents("--set", "metrics.serviceMonitor.create=true");
        List<YamlDocument> secured = CHART.documents(
                "--set", "metrics.serviceMonitor.create=true,tls.secretName=pair,metrics.serviceMonitor.interval=30s");

        YamlDocument monitor = YamlDocument.ofKind("ServiceMonitor", plain);
        assertThat(monitor.mapAt("spec", "endpoints", 0))
                .containsEntry("port", "http")
                .containsEntry("path", "/actuator/prometheus")
                .containsEntry("bearerTokenFile", "/var/run/secrets/kubernetes.io/serviceaccount/token");
        assertThat(monitor.mapAt("spec", "selector", "matchLabels"))
                .isEqualTo(YamlDocument.ofKind("Service", plain).mapAt("spec", "selector"));
        assertThat(YamlDocument.ofKind("ServiceMonitor", secured).mapAt("spec", "endpoints", 0))
                .containsEntry("port", "https")
                .containsEntry("scheme", "https")
                .containsEntry("interval", "30s")
                .extractingByKey("tlsConfig")
                .hasToString("{serverName=cm-controller-manager.system.svc, ca={secret={name=pair, key=ca.crt}}}");
    }

    @Test
    void carriesTheDashboardAndTheAlertsAsTheyAre() throws Exception {
        List<YamlDocument> release =
                CHART.documents("--set", "metrics.dashboard.create=true,metrics.prometheusRule.create=true");

        YamlDocument dashboard = YamlDocument.ofKind("ConfigMap", release);
        assertThat(dashboard.at("data", "controller-manager.json"))
                .isEqualTo(Files.readString(CHART.directory().resolve("files/dashboard.json")));
        assertThat(dashboard.mapAt("metadata", "labels")).containsEntry("grafana_dashboard", "1");
        assertThat(YamlDocument.ofKind("PrometheusRule", release).at("spec"))
                .isEqualTo(YamlDocument.all(Files.readString(CHART.directory().resolve("files/alerts.yaml")))
                        .get(0)
                        .at());
    }

    @ParameterizedTest
    @ValueSource(strings = {"https://example.com/runbooks", "https://example.com/runbooks/"})
    void namesTheAddressOfEachAlertsRunbookWhereToldSo(String base) throws Exception {
        YamlDocument rule = YamlDocument.ofKind(
                "PrometheusRule",
                CHART.documents(
                        "--set", "metrics.prometheusRule.create=true,metrics.prometheusRule.runbookUrl=" + base));

        assertThat(AlertRules.all(rule.mapAt("spec")))
                .isNotEmpty()
                .allSatisfy(alert -> assertThat(alert.annotations())
                        .containsEntry("runbook_url", "https://example.com/runbooks/" + alert.name() + ".md"));
    }

    @Test
    void letsThePodOfHelmTestInWhereFewMayGetIn() throws Exception {
        Rendered release = CHART.render(
                "--set",
                "networkPolicy.create=true",
                "--set-json",
                "networkPolicy.ingress.from=[{\"podSelector\":{}}]");

        Map<String, String> test =
                release.one(V1Job.class).getSpec().getTemplate().getMetadata().getLabels();
        assertThat(release.one(V1NetworkPolicy.class)
                        .getSpec()
                        .getIngress()
                        .get(0)
                        .getFrom())
                .anySatisfy(peer ->
                        assertThat(peer.getPodSelector().getMatchLabels()).isEqualTo(test));
    }

    @ParameterizedTest
    @ValueSource(ints = {57, 58, 59, 62, 63, 64, 100})
    void makesNamesAndLabelsOfLongNamesThatKubernetesTakes(int length) throws Exception {
        String name = "a--".repeat(length).substring(0, length - 1) + "z";
        Rendered release = CHART.render("--set", "nameOverride=" + name + ",fullnameOverride=" + name);

        Map<String, String> pods =
                release.one(V1Deployment.class).getSpec().getSelector().getMatchLabels();
        V1Job test = release.one(V1Job.class);
        Map<String, String> testPod = test.getSpec().getTemplate().getMetadata().getLabels();
        assertThat(testPod).doesNotContainEntry(LABEL, pods.get(LABEL));
        assertThat(Stream.of(
                        release.one(V1Service.class).getMetadata().getName(),
                        test.getMetadata().getName(),
                        pods.get(LABEL),
                        testPod.get(LABEL)))
                .allSatisfy(each -> assertThat(each).matches("[a-z]([-a-z0-9]{0,61}[a-z0-9])?"));
    }

    @Test
    void saysHowToOpenTheLivePage() throws Exception {
        assertThat(CHART.notes())
                .contains(
                        "kubectl -n system port-forward service/cm-controller-manager 8080:8080\n",
                        "  http://localhost:8080/   # the live page, for a browser: it asks for the token below\n",
                        "TOKEN=$(kubectl -n NAMESPACE create token SERVICE_ACCOUNT)",
                        "echo \"$TOKEN\"");
        assertThat(CHART.notes("--set", "authentication.enabled=false,tls.secretName=pair"))
                .contains("  https://localhost:8080/   # the live page, for a browser\n")
                .doesNotContain("TOKEN");
    }
}
