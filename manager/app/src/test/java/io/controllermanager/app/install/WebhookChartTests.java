package io.controllermanager.app.install;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.app.install.Chart.Rendered;
import io.controllermanager.app.support.YamlDocument;
import io.kubernetes.client.openapi.models.V1ClusterRole;
import io.kubernetes.client.openapi.models.V1ContainerPort;
import io.kubernetes.client.openapi.models.V1MutatingWebhookConfiguration;
import io.kubernetes.client.openapi.models.V1NetworkPolicy;
import io.kubernetes.client.openapi.models.V1PolicyRule;
import io.kubernetes.client.openapi.models.V1Role;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1ValidatingWebhookConfiguration;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the chart makes of an application with webhooks. */
@Tag("system")
class WebhookChartTests {

    private static final Chart CHART = Chart.own();
    private static final String VALUES =
            CHART.directory().resolve("ci/webhooks-values.yaml").toString();
    private static final String NAME = "cm-webhooks";

    @Test
    void hasTheNamesOfTheReleaseInEachPlace() throws Exception {
        Rendered release = CHART.render("--values", VALUES);

        assertThat(release.named(V1Secret.class, NAME)).satisfies(secret -> {
            assertThat(secret.getMetadata().getNamespace()).isEqualTo("system");
            assertThat(secret.getData()).isNullOrEmpty();
        });
        V1Service service = release.named(V1Service.class, NAME);
        assertThat(service.getSpec().getSelector())
                .isEqualTo(release.named(V1Service.class, "cm").getSpec().getSelector());
        assertThat(service.getSpec().getPorts().get(0).getTargetPort().getIntValue())
                .isEqualTo(9443);
        assertThat(release.arguments()).contains("--controller-manager.webhooks.name=" + NAME);
        assertThat(release.pod().getContainers().get(0).getPorts())
                .contains(new V1ContainerPort().name("webhooks").containerPort(9443));
        assertThat(release.one(V1NetworkPolicy.class).getSpec().getIngress())
                .anySatisfy(rule -> assertThat(rule.getPorts())
                        .singleElement()
                        .satisfies(port -> assertThat(port.getPort()).hasToString("webhooks")));
        assertThat(release.named(V1ValidatingWebhookConfiguration.class, NAME).getWebhooks())
                .singleElement()
                .satisfies(webhook -> {
                    assertThat(webhook.getClientConfig().getService().getName()).isEqualTo(NAME);
                    assertThat(webhook.getClientConfig().getService().getNamespace())
                            .isEqualTo("system");
                });
    }

    /** The placeholder is {@code system} too: another namespace shows what is replaced. */
    @Test
    void leavesItsOwnNamespaceAlone() throws Exception {
        Rendered release = CHART.render("--namespace=shop", "--values", VALUES);

        assertThat(release.one(V1MutatingWebhookConfiguration.class).getWebhooks())
                .singleElement()
                .satisfies(webhook -> {
                    assertThat(webhook.getNamespaceSelector()
                                    .getMatchExpressions()
                                    .get(0)
                                    .getValues())
                            .containsExactly("kube-system", "kube-public", "kube-node-lease", "shop");
                    assertThat(webhook.getClientConfig().getService().getNamespace())
                            .isEqualTo("shop");
                });
        YamlDocument crd = YamlDocument.ofKind(
                "CustomResourceDefinition", CHART.documents("--namespace=shop", "--values", VALUES));
        assertThat(crd.mapAt("spec", "conversion", "webhook", "clientConfig", "service"))
                .containsEntry("name", NAME)
                .containsEntry("namespace", "shop")
                .containsEntry("path", "/convert");
        assertThat(crd.at("spec", "conversion", "strategy")).isEqualTo("Webhook");
    }

    /** Its configurations and CRDs have no namespace. */
    @ParameterizedTest
    @CsvSource({"replicas=2", "namespaces={elsewhere}"})
    void grantsInTheWholeClusterWhatIsNeededThere(String values) throws Exception {
        Rendered release = CHART.render("--values", VALUES, "--set", values);

        assertThat(release.named(V1ClusterRole.class, "cm-system-cluster").getRules())
                .extracting(V1PolicyRule::getResourceNames)
                .containsExactly(List.of(NAME), List.of("websites.example.com"), List.of("websites.example.com"));
        assertThat(release.named(V1Role.class, "cm-host").getRules())
                .singleElement()
                .satisfies(rule -> {
                    assertThat(rule.getResources()).containsExactly("secrets");
                    assertThat(rule.getResourceNames()).containsExactly(NAME);
                });
    }

    /** They are served for 5 s after the pod is told to stop, and a request may take 30 s. */
    @Test
    void givesThemTimeToEnd() throws Exception {
        long without = CHART.render("--values", VALUES, "--set", "webhooks.enabled=false")
                .pod()
                .getTerminationGracePeriodSeconds();

        assertThat(CHART.render("--values", VALUES).pod().getTerminationGracePeriodSeconds())
                .isEqualTo(without + 35);
    }

    @Test
    void readsACertificateOfSomebodyElse() throws Exception {
        Rendered release = CHART.render("--values", VALUES, "--set", "webhooks.secretName=given");

        assertThat(release.arguments()).contains("--controller-manager.webhooks.certificate.secret-name=given");
        assertThat(release.named(V1Role.class, "cm-host").getRules()).last().satisfies(rule -> {
            assertThat(rule.getResources()).containsExactly("secrets");
            assertThat(rule.getResourceNames()).containsExactly("given");
            assertThat(rule.getVerbs()).containsExactly("get", "list", "watch");
        });
        assertThat(CHART.template(
                                "--values",
                                VALUES,
                                "--set",
                                "webhooks.secretName=given",
                                "--set",
                                "webhooks.enabled=false")
                        .err())
                .contains("webhooks.secretName: given, but no webhooks are served");
    }

    @Test
    void isNoController() throws Exception {
        assertThat(CHART.notes("--values", VALUES)).contains("Controllers that are on: website.");
        assertThat(CHART.template("--values", VALUES, "--set", "controllers={webhooks}")
                        .err())
                .contains("no controller is called \"webhooks\"; known are website");
        assertThat(CHART.render("--values", VALUES, "--set-json", "controllers=[]")
                        .names(V1Secret.class))
                .containsExactly(NAME);
    }

    @Test
    void canBeOff() throws Exception {
        Rendered release = CHART.render("--values", VALUES, "--set", "webhooks.enabled=false");

        assertThat(release.names(V1Secret.class)).isEmpty();
        assertThat(release.names(V1Service.class)).containsExactly("cm");
        assertThat(release.names(V1ClusterRole.class)).doesNotContain("cm-system-cluster");
        assertThat(release.arguments()).contains("--controller-manager.webhooks.enabled=false");
    }

    @Test
    void hasWhatIsInItsOwnFiles(@TempDir Path directory) throws Exception {
        Chart chart = CHART.copyTo(directory.resolve("chart"));
        Map<String, Object> values =
                YamlDocument.all(Files.readString(Path.of(VALUES))).get(0).content();
        Files.writeString(
                Files.createDirectories(chart.directory().resolve("files/webhooks"))
                        .resolve("manifests.yaml"),
                (String) new YamlDocument(values).at("webhooks", "manifests"));
        Files.writeString(chart.directory().resolve("rbac/webhooks.yaml"), (String)
                new YamlDocument(values).at("rights", "webhooks"));

        Rendered release = chart.render();

        assertThat(release.named(V1Service.class, "cm-controller-manager-webhooks"))
                .isNotNull();
        assertThat(release.named(V1ClusterRole.class, "cm-controller-manager-system-cluster")
                        .getRules())
                .first()
                .satisfies(
                        rule -> assertThat(rule.getResourceNames()).containsExactly("cm-controller-manager-webhooks"));
    }
}
