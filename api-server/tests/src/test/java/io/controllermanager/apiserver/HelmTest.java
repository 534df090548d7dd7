package io.controllermanager.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.testing.controlplane.Binaries;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Helm with the project's own chart. */
@Tag("system")
class HelmTest {

    private static final String CHART = Path.of("../../charts/controller-manager")
            .toAbsolutePath()
            .normalize()
            .toString();
    private static final String HELM = Binaries.locate().program("helm").toString();

    private final ApiServer server = ApiServer.start();

    @TempDir
    private Path directory;

    @AfterEach
    void stop() {
        server.close();
    }

    private String helm(String... arguments) {
        List<String> command = new ArrayList<>(List.of(HELM));
        command.addAll(List.of(arguments));
        Map<String, String> environment =
                Map.of("KUBECONFIG", server.kubeconfigFile().toString(), "HOME", directory.toString());
        return Command.run(directory, environment, "", command.toArray(String[]::new));
    }

    @Test
    void installsUpgradesRollsBackAndUninstalls() {
        assertThat(helm("install", "cm", CHART, "--set=networkPolicy.create=true"))
                .contains("STATUS: deployed");
        assertThat(kinds())
                .contains("Deployment", "ServiceAccount", "ClusterRole", "PodDisruptionBudget", "NetworkPolicy");
        helm("upgrade", "cm", CHART, "--set=replicas=3");
        assertThat(replicas()).isEqualTo(3);
        assertThat(kinds()).doesNotContain("NetworkPolicy");
        helm("rollback", "cm", "1");
        assertThat(replicas()).isEqualTo(2);
        assertThat(kinds()).contains("NetworkPolicy");
        assertThat(helm("history", "cm")).contains("Rollback to 1");
        helm("uninstall", "cm");
        assertThat(kinds()).doesNotContain("Deployment", "PodDisruptionBudget", "NetworkPolicy");
    }

    private List<String> kinds() {
        return server.objects().stream()
                .map(object -> object.path("kind").asText())
                .toList();
    }

    private int replicas() {
        return server.objects().stream()
                .filter(object -> object.path("kind").asText().equals("Deployment"))
                .mapToInt(object -> object.path("spec").path("replicas").asInt())
                .findFirst()
                .orElse(-1);
    }
}
