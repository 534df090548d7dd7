package io.controllermanager.testing.controlplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.controllermanager.testing.controlplane.junit.FreshNamespace;
import io.controllermanager.testing.controlplane.junit.RealControlPlane;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.ApiextensionsV1Api;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.apis.RbacAuthorizationV1Api;
import io.kubernetes.client.openapi.models.AuthenticationV1TokenRequest;
import io.kubernetes.client.openapi.models.RbacV1Subject;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1RoleBinding;
import io.kubernetes.client.openapi.models.V1RoleRef;
import io.kubernetes.client.openapi.models.V1ServiceAccount;
import io.kubernetes.client.openapi.models.V1TokenRequestSpec;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.credentials.AccessTokenAuthentication;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

@RealControlPlane
class ControlPlaneTest {

    private static final String THINGS = """
            {"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"things.example.com"},
             "spec":{"group":"example.com","scope":"Cluster","names":{"plural":"things","kind":"Thing"},"versions":[
              {"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}""";

    private final ControlPlane plane;

    ControlPlaneTest(ControlPlane plane) {
        this.plane = plane;
    }

    @Test
    void isReadyAndTellsTheVersionThatItsModuleNames() throws IOException {
        plane.awaitReady();

        assertThat(plane.version()).isEqualTo(GoModule.versionOf("k8s.io/kubernetes"));
    }

    @Test
    void refusesUsersThatNoRuleNames(FreshNamespace namespace) throws Exception {
        CoreV1Api stranger = new CoreV1Api(Clients.client(plane.kubeconfigFor("stranger", "strangers")));

        assertThatExceptionOfType(ApiException.class)
                .isThrownBy(
                        () -> stranger.listNamespacedConfigMap(namespace.name()).execute())
                .satisfies(refusal -> {
                    assertThat(refusal.getCode()).isEqualTo(403);
                    assertThat(refusal.getResponseBody()).contains("User \\\"stranger\\\" cannot list");
                });
    }

    @Test
    void grantsWhatARuleGrantsToAGroup(FreshNamespace namespace) throws Exception {
        grantView(namespace, new RbacV1Subject().kind("Group").name("friends").apiGroup("rbac.authorization.k8s.io"));

        CoreV1Api friend = new CoreV1Api(Clients.client(plane.kubeconfigFor("friend", "friends")));

        awaitAccess(friend, namespace);
    }

    @Test
    void issuesServiceAccountTokensAndAcceptsThem(FreshNamespace namespace) throws Exception {
        CoreV1Api admin = new CoreV1Api(Clients.client(plane.kubeconfig()));
        admin.createNamespacedServiceAccount(
                        namespace.name(), new V1ServiceAccount().metadata(new V1ObjectMeta().name("robot")))
                .execute();
        grantView(
                namespace,
                new RbacV1Subject().kind("ServiceAccount").name("robot").namespace(namespace.name()));
        String token = admin.createNamespacedServiceAccountToken(
                        "robot",
                        namespace.name(),
                        new AuthenticationV1TokenRequest().spec(new V1TokenRequestSpec().audiences(List.of())))
                .execute()
                .getStatus()
                .getToken();

        CoreV1Api robot = new CoreV1Api(new ClientBuilder()
                .setBasePath(plane.apiServerUrl().toString())
                .setCertificateAuthority(Files.readAllBytes(plane.dataDir().resolve("ca.crt")))
                .setAuthentication(new AccessTokenAuthentication(token))
                .build());

        awaitAccess(robot, namespace);
    }

    @Test
    void auditsEveryRequestOnce(FreshNamespace namespace) throws Exception {
        CoreV1Api admin = new CoreV1Api(Clients.client(plane.kubeconfig()));
        admin.createNamespacedConfigMap(
                        namespace.name(), new V1ConfigMap().metadata(new V1ObjectMeta().name("audited")))
                .execute();

        await().untilAsserted(() -> assertThat(auditLines(namespace, "audited"))
                .singleElement()
                .asString()
                .contains("\"verb\":\"create\"", "\"username\":\"kubernetes-admin\"", "\"code\":201"));
    }

    @Test
    void runsBesideAnother(FreshNamespace namespace) throws Exception {
        try (ControlPlane other = ControlPlane.builder().start()) {
            assertThat(other.apiServerUrl()).isNotEqualTo(plane.apiServerUrl());
            CoreV1Api there = new CoreV1Api(Clients.client(other.kubeconfig()));
            assertThatExceptionOfType(ApiException.class)
                    .isThrownBy(() -> there.readNamespace(namespace.name()).execute())
                    .satisfies(refusal -> assertThat(refusal.getCode()).isEqualTo(404));
        }
    }

    @Test
    void startsWithCrdsAndLeavesNothingBehindWhenClosed() throws Exception {
        ControlPlane other = ControlPlane.builder().crd(THINGS).start();
        ApiextensionsV1Api definitions = new ApiextensionsV1Api(Clients.client(other.kubeconfig()));
        assertThat(definitions
                        .readCustomResourceDefinition("things.example.com")
                        .execute()
                        .getStatus()
                        .getConditions())
                .anyMatch(condition -> condition.getType().equals("Established")
                        && condition.getStatus().equals("True"));
        List<Long> processes = other.processIds();
        assertThat(processes).hasSize(2);

        other.close();
        other.close();

        assertThat(processes).noneMatch(Processes::isRunning);
        assertThat(other.dataDir()).doesNotExist();
    }

    @Test
    void tellsTheLogOfAProgramThatDoesNotStart() {
        ControlPlaneBuilder broken = ControlPlane.builder().apiServerFlag("no-such-flag", "1");

        assertThatExceptionOfType(ControlPlaneException.class)
                .isThrownBy(broken::start)
                .withMessageStartingWith("kube-apiserver did not become ready; it ended with exit code 1.")
                .withMessageContaining("unknown flag: --no-such-flag");
    }

    private List<String> auditLines(FreshNamespace namespace, String object) throws IOException {
        try (Stream<String> lines = Files.lines(plane.auditLog(), StandardCharsets.UTF_8)) {
            return lines.filter(line -> line.contains("\"namespace\":\"" + namespace + "\""))
                    .filter(line -> line.contains("\"name\":\"" + object + "\""))
                    .toList();
        }
    }

    /** The authorizer learns of new rules by a watch, a moment later. */
    private static void awaitAccess(CoreV1Api api, FreshNamespace namespace) {
        await().ignoreExceptionsMatching(refusal -> refusal instanceof ApiException answer && answer.getCode() == 403)
                .untilAsserted(() -> assertThat(api.listNamespacedConfigMap(namespace.name())
                                .execute()
                                .getItems())
                        .isEmpty());
    }

    private void grantView(FreshNamespace namespace, RbacV1Subject subject) throws Exception {
        V1RoleBinding binding = new V1RoleBinding()
                .metadata(new V1ObjectMeta().name("viewers"))
                .addSubjectsItem(subject)
                .roleRef(new V1RoleRef()
                        .apiGroup("rbac.authorization.k8s.io")
                        .kind("ClusterRole")
                        .name("system:aggregate-to-view"));
        new RbacAuthorizationV1Api(Clients.client(plane.kubeconfig()))
                .createNamespacedRoleBinding(namespace.name(), binding)
                .execute();
    }
}
