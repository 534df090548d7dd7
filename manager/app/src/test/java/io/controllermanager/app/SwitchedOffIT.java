package io.controllermanager.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.controllermanager.app.Chart.Rendered;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.apis.RbacAuthorizationV1Api;
import io.kubernetes.client.openapi.models.V1ClusterRole;
import io.kubernetes.client.openapi.models.V1ClusterRoleBinding;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1Role;
import io.kubernetes.client.openapi.models.V1RoleBinding;
import io.kubernetes.client.util.Config;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A controller that is off needs nothing: its CRD is missing here, and the process has the arguments and the rights that
 * the chart gives it, no more. Whoever makes an object that blocks its owner's deletion must be allowed to.
 */
class SwitchedOffIT {

    private static final Path CONFIG = Manifests.configDirectory();

    private static ControlPlane plane;
    private static ApiClient admin;

    @TempDir
    Path directory;

    @BeforeAll
    static void startControlPlane() throws Exception {
        plane = ControlPlane.builder()
                .apiServerFlag("enable-admission-plugins", "OwnerReferencesPermissionEnforcement")
                .start();
        admin = Config.fromConfig(plane.kubeconfigFile().toString());
        Manifests.apply(admin, CONFIG.resolve("crd/bases/samplecontroller.k8s.io_foos.yaml"));
    }

    @AfterAll
    static void stopControlPlane() {
        plane.close();
    }

    @Test
    void fooNeedsNothingOfNetwork() throws Exception {
        fooWorks("default", "--set=controllers={foo}");
    }

    @Test
    void fooNeedsRightsInTheNamespaceThatItWatchesAlone() throws Exception {
        String namespace = plane.createNamespace("watched");

        fooWorks(namespace, "--set=controllers={foo},namespaces={" + namespace + "}");
    }

    @Test
    void noControllerNeedsNoRights() throws Exception {
        Installation installation = install("--set-json=controllers=[]");

        try (RunningJar jar = installation.run(directory)) {
            jar.awaitStatus("/actuator/health/readiness", 200);
            soon("it leads").until(() -> jar.body("/actuator/leaderelection").contains("\"leading\":true"));
            expectNoComplaint(installation, jar);
        }
    }

    private void fooWorks(String namespace, String values) throws Exception {
        Installation installation = install(values);
        List<String> writes = List.of(
                "create /apis/apps/v1/namespaces/" + namespace + "/deployments",
                "patch /apis/samplecontroller.k8s.io/v1alpha1/namespaces/" + namespace + "/foos/example-foo/status",
                "create /apis/events.k8s.io/v1/namespaces/" + namespace + "/events");

        try (RunningJar jar = installation.run(directory)) {
            jar.awaitStatus("/actuator/health/readiness", 200);
            Manifests.apply(admin, namespace, CONFIG.resolve("samples/samplecontroller_v1alpha1_foo.yaml"));
            soon("foo does all that it does")
                    .ignoreExceptionsInstanceOf(JsonParseException.class)
                    .untilAsserted(() -> assertThat(installation.requests()).containsAll(writes));
            expectNoComplaint(installation, jar);
        }
    }

    private static void expectNoComplaint(Installation installation, RunningJar jar) throws Exception {
        jar.terminate();
        assertThat(jar.exitCode()).isZero();
        assertThat(jar.out())
                .noneMatch(line -> line.contains(" WARN ") || line.contains(" ERROR "))
                .noneMatch(line -> line.contains("networks"));
        assertThat(installation.requests())
                .isNotEmpty()
                .noneMatch(request -> request.startsWith("forbidden") || request.contains("networks"));
    }

    private static ConditionFactory soon(String what) {
        return await(what).atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(50));
    }

    /** Installs what the chart holds but the Deployment, whose process a test runs. */
    private static Installation install(String values) throws Exception {
        String namespace = plane.createNamespace("system");
        Rendered release = Chart.own().render("--namespace=" + namespace, values);
        RbacAuthorizationV1Api rbac = new RbacAuthorizationV1Api(admin);
        for (V1ClusterRole role : release.all(V1ClusterRole.class)) {
            rbac.createClusterRole(role).execute();
        }
        for (V1ClusterRoleBinding binding : release.all(V1ClusterRoleBinding.class)) {
            rbac.createClusterRoleBinding(binding).execute();
        }
        for (V1Role role : release.all(V1Role.class)) {
            rbac.createNamespacedRole(role.getMetadata().getNamespace(), role).execute();
        }
        for (V1RoleBinding binding : release.all(V1RoleBinding.class)) {
            rbac.createNamespacedRoleBinding(binding.getMetadata().getNamespace(), binding)
                    .execute();
        }
        V1PodSpec pod = release.pod();
        return new Installation(
                "system:serviceaccount:" + namespace + ":" + pod.getServiceAccountName(),
                pod.getContainers().get(0).getArgs());
    }

    /**
     * What a pod of the release would be.
     *
     * @param user as whom the API server knows it
     * @param arguments of its process
     */
    private record Installation(String user, List<String> arguments) {

        RunningJar run(Path directory) throws IOException {
            Path kubeconfig = Files.writeString(
                    directory.resolve("kubeconfig"),
                    plane.kubeconfigFor(user, "system:serviceaccounts", "system:authenticated"));
            List<String> all = new ArrayList<>(arguments);
            all.add("--kubeconfig=" + kubeconfig);
            return RunningJar.start(directory, all.toArray(String[]::new));
        }

        /** What it has asked the API server for so far, such as {@code get /api}, and what of that was forbidden. */
        List<String> requests() throws IOException {
            // The API server may be in the middle of the last line.
            String log = Files.readString(plane.auditLog());
            try (Stream<String> lines =
                    log.substring(0, log.lastIndexOf('\n') + 1).lines()) {
                return lines.filter(line -> line.contains(user))
                        .map(line -> JsonParser.parseString(line).getAsJsonObject())
                        .filter(event -> event.getAsJsonObject("user")
                                .get("username")
                                .getAsString()
                                .equals(user))
                        .map(Installation::request)
                        .toList();
            }
        }

        private static String request(JsonObject event) {
            String uri = event.get("requestURI").getAsString();
            int query = uri.indexOf('?');
            int code = event.getAsJsonObject("responseStatus").get("code").getAsInt();
            return (code == 403 ? "forbidden: " : "")
                    + event.get("verb").getAsString()
                    + " "
                    + (query < 0 ? uri : uri.substring(0, query));
        }
    }
}
