package io.controllermanager.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.testing.controlplane.ControlPlane;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.apis.AppsV1Api;
import io.kubernetes.client.openapi.apis.RbacAuthorizationV1Api;
import io.kubernetes.client.openapi.models.RbacV1Subject;
import io.kubernetes.client.openapi.models.V1ClusterRole;
import io.kubernetes.client.openapi.models.V1ClusterRoleBinding;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Role;
import io.kubernetes.client.openapi.models.V1RoleBinding;
import io.kubernetes.client.openapi.models.V1RoleRef;
import io.kubernetes.client.util.Config;
import io.kubernetes.client.util.Yaml;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A controller that is off needs nothing: its CRD is missing here, and its rules are taken out of {@code config/rbac}. */
class SwitchedOffIT {

    private static final String USER = "foo-only";
    private static final RbacV1Subject SUBJECT = new RbacV1Subject()
            .apiGroup("rbac.authorization.k8s.io")
            .kind("User")
            .name(USER);
    private static final Path CONFIG = Manifests.configDirectory();

    @TempDir
    Path directory;

    @Test
    void aControllerThatIsOffNeedsNoCrdAndNoRights() throws Exception {
        try (ControlPlane plane = ControlPlane.builder().start()) {
            ApiClient admin = Config.fromConfig(plane.kubeconfigFile().toString());
            Manifests.apply(admin, CONFIG.resolve("crd/bases/samplecontroller.k8s.io_foos.yaml"));
            grantAllButNetworks(new RbacAuthorizationV1Api(admin));
            Path kubeconfig = Files.writeString(directory.resolve("kubeconfig"), plane.kubeconfigFor(USER));

            try (RunningJar jar =
                    RunningJar.start(directory, "--kubeconfig=" + kubeconfig, "--controllers=*,-network")) {
                jar.awaitStatus("/actuator/health/readiness", 200);
                await("foo works")
                        .atMost(Duration.ofSeconds(60))
                        .pollInterval(Duration.ofMillis(50))
                        .until(() -> jar.body("/actuator/controllers/foo").contains("\"state\":\"RUNNING\""));
                Manifests.apply(admin, CONFIG.resolve("samples/samplecontroller_v1alpha1_foo.yaml"));
                await("the Deployment is there")
                        .atMost(Duration.ofSeconds(60))
                        .pollInterval(Duration.ofMillis(50))
                        .until(() -> !new AppsV1Api(admin)
                                .listNamespacedDeployment("default")
                                .execute()
                                .getItems()
                                .isEmpty());
                assertThat(jar.body("/actuator/prometheus"))
                        .contains("rest_client_requests_total{code=\"201\"")
                        .doesNotContain("rest_client_requests_total{code=\"403\"");
                jar.terminate();
                assertThat(jar.exitCode()).isZero();
                assertThat(jar.out())
                        .noneMatch(line -> line.contains(" WARN ") || line.contains(" ERROR "))
                        .noneMatch(line -> line.contains("networks"));
            }
        }
    }

    private static void grantAllButNetworks(RbacAuthorizationV1Api rbac) throws Exception {
        V1ClusterRole rules = Yaml.loadAs(Files.readString(CONFIG.resolve("rbac/role.yaml")), V1ClusterRole.class);
        assertThat(rules.getRules().removeIf(rule -> rule.getApiGroups().contains("sample.k8s.io")))
                .isTrue();
        rbac.createClusterRole(rules).execute();
        rbac.createClusterRoleBinding(new V1ClusterRoleBinding()
                        .metadata(new V1ObjectMeta().name(USER))
                        .roleRef(reference("ClusterRole", rules.getMetadata().getName()))
                        .addSubjectsItem(SUBJECT))
                .execute();
        V1Role election = Yaml.loadAs(Files.readString(CONFIG.resolve("rbac/leader_election_role.yaml")), V1Role.class);
        election.getMetadata().setNamespace("default");
        rbac.createNamespacedRole("default", election).execute();
        rbac.createNamespacedRoleBinding(
                        "default",
                        new V1RoleBinding()
                                .metadata(new V1ObjectMeta().name(USER))
                                .roleRef(
                                        reference("Role", election.getMetadata().getName()))
                                .addSubjectsItem(SUBJECT))
                .execute();
    }

    private static V1RoleRef reference(String kind, String name) {
        return new V1RoleRef().apiGroup("rbac.authorization.k8s.io").kind(kind).name(name);
    }
}
