package io.controllermanager.informer.internal;

import static io.controllermanager.client.internal.connection.Connected.configMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.access.ApiAccessResolver;
import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.client.internal.connection.Connected;
import io.controllermanager.clientjava.internal.ClientJavaInformerFactory;
import io.controllermanager.informer.internal.reflector.ReflectorStatus;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.TcpProxy;
import io.controllermanager.testing.controlplane.junit.RealControlPlane;
import io.controllermanager.time.Clock;
import io.kubernetes.client.informer.ListerWatcher;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.apis.RbacAuthorizationV1Api;
import io.kubernetes.client.openapi.models.RbacV1Subject;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PolicyRule;
import io.kubernetes.client.openapi.models.V1Role;
import io.kubernetes.client.openapi.models.V1RoleBinding;
import io.kubernetes.client.openapi.models.V1RoleRef;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.openapi.models.V1SecretList;
import io.kubernetes.client.util.CallGeneratorParams;
import io.kubernetes.client.util.Watchable;
import io.kubernetes.client.util.generic.GenericKubernetesApi;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An account that may list and watch in two namespaces, and nowhere else. */
@RealControlPlane
class NamespacePermissionsTest {

    private final String user = "two-namespaces-" + UUID.randomUUID();
    private final ControlPlane plane;
    private final Connected administrator;
    private final RbacAuthorizationV1Api rbac;
    private final TcpProxy proxy;
    private final ApiConnection connection;
    private final String kept;
    private final String lost;

    @TempDir
    private Path folder = Path.of("");

    NamespacePermissionsTest(ControlPlane plane) throws IOException {
        this.plane = plane;
        this.administrator = new Connected(plane);
        this.rbac = new RbacAuthorizationV1Api(administrator.connection().apiClient());
        this.proxy = new TcpProxy(plane.apiServerUrl());
        this.connection =
                ApiConnection.builder(Clock.system(), administrator.timer()).build();
        this.kept = plane.createNamespace("kept");
        this.lost = plane.createNamespace("lost");
    }

    @BeforeEach
    void connect() throws Exception {
        Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), plane.kubeconfigFor(user));
        connection.connect(new ApiAccessResolver().resolve(kubeconfig.toString(), proxy.url()));
        for (String namespace : List.of(kept, lost)) {
            rbac.createNamespacedRole(namespace, role()).execute();
            bind(namespace);
        }
    }

    @AfterEach
    void close() throws Exception {
        connection.close();
        proxy.close();
        administrator.close();
    }

    private static V1Role role() {
        return new V1Role()
                .metadata(new V1ObjectMeta().name("reader"))
                .addRulesItem(new V1PolicyRule()
                        .addApiGroupsItem("")
                        .addResourcesItem("configmaps")
                        .verbs(List.of("list", "watch")));
    }

    /** Returns once the API server knows. */
    private void bind(String namespace) throws ApiException {
        rbac.createNamespacedRoleBinding(
                        namespace,
                        new V1RoleBinding()
                                .metadata(new V1ObjectMeta().name("reader"))
                                .roleRef(new V1RoleRef()
                                        .apiGroup("rbac.authorization.k8s.io")
                                        .kind("Role")
                                        .name("reader"))
                                .addSubjectsItem(new RbacV1Subject()
                                        .apiGroup("rbac.authorization.k8s.io")
                                        .kind("User")
                                        .name(user)))
                .execute();
    }

    /** What informers of this account were refused, as the API server's audit log has it: {@link #mayList} has no query. */
    private List<String> refused() throws IOException {
        try (Stream<String> lines = Files.lines(plane.auditLog())) {
            return lines.filter(line -> line.contains(user) && line.contains("\"code\":403"))
                    .map(line -> line.replaceAll(".*\"requestURI\":\"([^\"]+)\".*", "$1"))
                    .filter(uri -> uri.contains("?"))
                    .toList();
        }
    }

    private boolean mayList(String namespace) {
        try {
            new CoreV1Api(connection.apiClient())
                    .listNamespacedConfigMap(namespace)
                    .execute();
            return true;
        } catch (ApiException e) {
            assertThat(e.getCode()).isEqualTo(403);
            return false;
        }
    }

    @Test
    void goesOnInOneNamespaceWhileTheOtherIsForbidden() throws Exception {
        InformerOptions options = InformerOptions.DEFAULTS.withNamespaces(Set.of(kept, lost));
        try (InformerFactory factory =
                new InformerFactory(connection, Clock.system(), administrator.timer(), options)) {
            administrator.configMaps().create(configMap(kept, "a", "1"));
            administrator.configMaps().create(configMap(lost, "b", "1"));
            // The API server's rules come a moment after they are made; until then lists would be refused.
            await().until(() -> mayList(kept) && mayList(lost));
            HostInformer<V1ConfigMap> informer = factory.informer(ResourceTypes.CONFIG_MAP);
            informer.run();
            await().until(() -> informer.hasSynced() && informer.status().connected());
            assertThat(informer.getIndexer().listKeys()).contains(kept + "/a", lost + "/b");
            assertThat(refused()).isEmpty();
            assertThatExceptionOfType(ApiException.class)
                    .as("what it must not do")
                    .isThrownBy(() -> new CoreV1Api(connection.apiClient())
                            .listConfigMapForAllNamespaces()
                            .execute());

            rbac.deleteNamespacedRoleBinding("reader", lost).execute();
            await().until(() -> !mayList(lost));
            // An open watch is not asked for its permission again; the next one is.
            proxy.dropConnections();

            // It is listed meanwhile, which is forbidden, too.
            await().until(() -> String.valueOf(missing(informer, lost)).endsWith(" configmaps in namespace " + lost));
            await().until(() -> wire(informer, kept).connected());
            administrator.configMaps().create(configMap(kept, "seen", "1"));
            administrator.configMaps().create(configMap(lost, "unseen", "1"));
            await().until(() -> informer.getIndexer().getByKey(kept + "/seen") != null);
            assertThat(missing(informer, kept)).isNull();
            assertThat(informer.getIndexer().listKeys()).contains(lost + "/b").doesNotContain(lost + "/unseen");
            assertThat(informer.status().connected()).isFalse();

            bind(lost);

            await().until(() -> informer.getIndexer().getByKey(lost + "/unseen") != null);
            // A list may bring it before the watch is open.
            await().until(() -> missing(informer, lost) == null);
            assertThat(wire(informer, kept).lists()).isEqualTo(1);
        }
    }

    @Test
    void namesWhatACallersOwnRequestsLack() {
        CoreV1Api core = new CoreV1Api(connection.apiClient());
        try (InformerFactory factory =
                new InformerFactory(connection, Clock.system(), administrator.timer(), InformerOptions.DEFAULTS)) {
            ClientJavaInformerFactory clientJava = new ClientJavaInformerFactory(factory, connection);
            // Of this one only the answer tells.
            HostInformer<V1Secret> own = (HostInformer<V1Secret>) clientJava.sharedIndexInformerFor(
                    new ListerWatcher<V1Secret, V1SecretList>() {
                        @Override
                        public V1SecretList list(CallGeneratorParams params) throws ApiException {
                            return core.listNamespacedSecret(kept).execute();
                        }

                        @Override
                        public Watchable<V1Secret> watch(CallGeneratorParams params) {
                            throw new AssertionError("it may not even list");
                        }
                    },
                    V1Secret.class,
                    0);
            // This one says what it is for.
            HostInformer<V1Secret> elsewhere = (HostInformer<V1Secret>) clientJava.sharedIndexInformerFor(
                    new GenericKubernetesApi<>(
                            V1Secret.class,
                            V1SecretList.class,
                            "",
                            "v1",
                            "secrets",
                            new ApiClient(connection.apiClient().getHttpClient()).setBasePath(proxy.url())),
                    V1Secret.class,
                    0,
                    lost);
            own.run();
            elsewhere.run();

            await().untilAsserted(() -> {
                assertThat(own.status().reflectors().get(0).missingPermission())
                        .isEqualTo("list secrets in namespace " + kept);
                assertThat(elsewhere.status().reflectors().get(0).missingPermission())
                        .isEqualTo("list secrets in namespace " + lost);
            });
        }
    }

    private static ReflectorStatus wire(HostInformer<?> informer, String namespace) {
        return informer.status().reflectors().stream()
                .filter(reflector -> namespace.equals(reflector.namespace()))
                .findFirst()
                .orElseThrow();
    }

    private static @org.jspecify.annotations.Nullable String missing(HostInformer<?> informer, String namespace) {
        return wire(informer, namespace).missingPermission();
    }
}
