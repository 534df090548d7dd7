package io.controllermanager.app.install;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.app.support.Manifests;
import io.controllermanager.app.support.Programs;
import io.controllermanager.app.support.YamlDocument;
import io.controllermanager.testing.controlplane.Binaries;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code config}, which {@code kubectl apply -k} installs, is what the chart makes of its defaults, object by object and
 * field by field. What tells a release of Helm from another is left out: labels, and the namespace in the names of objects
 * that have none.
 */
@Tag("system")
class ConfigTests {

    private static final Path CONFIG = Manifests.configDirectory();
    private static final String NAMESPACE = "controller-manager-system";

    @Test
    void theDefaultIsWhatTheChartMakesOfItsDefaults() throws Exception {
        Map<String, Object> kustomized = kustomize(CONFIG.resolve("default"));

        // Helm leaves it to the installer.
        assertThat(kustomized.remove("Namespace " + NAMESPACE)).isNotNull();
        assertSame(kustomized, release());
    }

    @Test
    void theMonitorAndTheAlertsAreThoseOfTheChart() throws Exception {
        assertSame(
                kustomize(CONFIG.resolve("prometheus")),
                added("--set", "metrics.serviceMonitor.create=true,metrics.prometheusRule.create=true"));
    }

    @Test
    void theNetworkPolicyIsThatOfTheChart() throws Exception {
        assertSame(kustomize(CONFIG.resolve("network-policy")), added("--set", "networkPolicy.create=true"));
    }

    @Test
    void theRightForAFooWithoutStatusSubresourceIsThatOfTheExample(@TempDir Path directory) throws Exception {
        Files.writeString(
                directory.resolve("kustomization.yaml"), """
                resources:
                  - %1$s
                components:
                  - %1$s/foo_without_status_subresource
                """.formatted(directory.relativize(CONFIG.resolve("rbac"))));
        String example = CONFIG.resolveSibling("charts/controller-manager/ci")
                .resolve("foo-without-status-subresource-values.yaml")
                .toString();

        String role = "ClusterRole controller-manager";
        assertThat(kustomize(directory).get(role))
                .isNotNull()
                .isEqualTo(release("--values", example).get(role));
    }

    /** What the chart has more than by default. */
    private static Map<String, Object> added(String... options) throws Exception {
        Map<String, Object> objects = release(options);
        objects.keySet().removeAll(release().keySet());
        return objects;
    }

    private static void assertSame(Map<String, Object> kustomized, Map<String, Object> released) {
        assertThat(kustomized).containsOnlyKeys(released.keySet());
        kustomized.forEach((name, object) -> assertThat(object).as(name).isEqualTo(released.get(name)));
    }

    private static Map<String, Object> kustomize(Path directory) throws Exception {
        return objects(Programs.run(
                        Binaries.locate().program("kubectl"),
                        List.of("kustomize", "--load-restrictor=LoadRestrictionsNone", directory.toString()))
                .expectOut());
    }

    private static Map<String, Object> release(String... options) throws Exception {
        List<String> all = new ArrayList<>(List.of("--no-hooks", "--namespace=" + NAMESPACE));
        all.addAll(List.of(options));
        return objects(Chart.own()
                .templateAs("controller-manager", all.toArray(String[]::new))
                .expectOut());
    }

    /** By kind and name. */
    private static Map<String, Object> objects(String yaml) {
        Map<String, Object> objects = new TreeMap<>();
        for (YamlDocument document : YamlDocument.all(yaml)) {
            Object object = comparable(document.content());
            YamlDocument neutral = new YamlDocument(YamlDocument.map(object));
            objects.put(neutral.at("kind") + " " + neutral.at("metadata", "name"), object);
        }
        return objects;
    }

    private static Object comparable(Object value) {
        if (value instanceof Map<?, ?> map) {
            Map<String, Object> neutral = new TreeMap<>();
            map.forEach((key, entry) -> {
                String name = String.valueOf(key);
                if (!ofTheRelease(name)) {
                    neutral.put(name, comparable(entry));
                }
            });
            return neutral;
        }
        if (value instanceof List<?> list) {
            return list.stream().map(ConfigTests::comparable).toList();
        }
        return value instanceof String text
                ? text.replace("controller-manager-" + NAMESPACE, "controller-manager")
                : value;
    }

    private static boolean ofTheRelease(String key) {
        return key.startsWith("helm.sh/")
                || List.of("app.kubernetes.io/instance", "app.kubernetes.io/managed-by", "app.kubernetes.io/version")
                        .contains(key);
    }
}
