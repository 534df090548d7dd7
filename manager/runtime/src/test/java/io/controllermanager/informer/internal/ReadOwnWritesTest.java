package io.controllermanager.informer.internal;

import static io.controllermanager.client.internal.connection.Connected.configMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.clientjava.internal.ClientJavaInformerFactory;
import io.controllermanager.informer.Selection;
import io.controllermanager.testing.bothservers.OnBothServers;
import io.controllermanager.testing.bothservers.TestedServer;
import io.controllermanager.testing.support.Waiting;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.SystemTimer;
import io.kubernetes.client.informer.SharedIndexInformer;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ConfigMapList;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1NamespaceSpec;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.util.generic.GenericKubernetesApi;
import io.kubernetes.client.util.generic.options.DeleteOptions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** What this process writes is there at once for those who read from informers, although the watch lags. */
@OnBothServers
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("ReadOwnWritesTest")
class ReadOwnWritesTest {

    private final HeldWatches watches = new HeldWatches();
    private final SystemTimer timer = new SystemTimer("test-timer");
    private final ApiConnection connection;
    private final TestedServer server;
    private final String namespace;
    private final String second;
    private final EventLog<V1ConfigMap> log = new EventLog<>();
    private @Nullable InformerFactory factory;

    ReadOwnWritesTest(TestedServer server) {
        this.server = server;
        ApiClient client = server.client();
        client.setHttpClient(
                client.getHttpClient().newBuilder().addInterceptor(watches).build());
        connection =
                ApiConnection.builder(Clock.system(), timer).apiClient(client).build();
        namespace = server.createNamespace();
        second = server.createNamespace();
    }

    @AfterEach
    void close() {
        watches.release();
        if (factory != null) {
            factory.close();
        }
        connection.close();
        timer.close();
    }

    private ResourceClient<V1ConfigMap> configMaps() {
        return new ResourceClient<>(connection.apiClient(), ResourceTypes.CONFIG_MAP);
    }

    private HostInformer<V1ConfigMap> informer(boolean readOwnWrites, Set<String> namespaces) {
        InformerFactory made = new InformerFactory(
                connection,
                Clock.system(),
                timer,
                new InformerOptions(namespaces, true, 500, false, readOwnWrites, false));
        factory = made;
        HostInformer<V1ConfigMap> informer = made.informer(ResourceTypes.CONFIG_MAP);
        informer.addIndexers(Map.of("value", object -> List.of(object.getData().getOrDefault("value", ""))));
        informer.subscribe("test", log, Duration.ZERO);
        informer.run();
        await().until(() -> informer.hasSynced() && informer.status().connected());
        return informer;
    }

    private List<String> values(HostInformer<V1ConfigMap> informer, String inNamespace) {
        return informer.lister().namespace(inNamespace).list().stream()
                .filter(object -> !object.getMetadata().getName().equals("kube-root-ca.crt"))
                .map(object ->
                        object.getMetadata().getName() + "=" + object.getData().get("value"))
                .sorted()
                .toList();
    }

    private List<String> told() {
        return log.entries().stream()
                .filter(entry -> !entry.contains("kube-root-ca.crt"))
                .toList();
    }

    @Test
    void anotherProcessCanTellWhetherItHasComeAsFarAsThisOneHasWritten() throws Exception {
        HostInformer<V1ConfigMap> writer = informer(true, Set.of(namespace, second));
        assertThat(writer.writtenVersions()).isEmpty();
        watches.hold();
        V1ConfigMap made = configMaps().create(configMap(namespace, "a", "1"));

        Map<String, String> written = writer.writtenVersions();

        assertThat(written)
                .containsOnly(Map.entry(
                        "configmaps/v1/" + namespace,
                        String.valueOf(made.getMetadata().getResourceVersion())));
        // Its own watch has not brought it yet.
        assertThat(writer.hasPassed(written)).isFalse();
        assertThat(writer.hasPassed(Map.of("secrets/v1", "999999999"))).isTrue();
        CountDownLatch passed = new CountDownLatch(1);
        writer.whenPassed(written, passed::countDown);
        assertThat(passed.getCount()).isOne();
        watches.release();
        Waiting.on(passed);
        assertThat(writer.hasPassed(written)).isTrue();
    }

    @Test
    void showsCreatesUpdatesPatchesAndDeletesBeforeTheWatchDoes() throws Exception {
        HostInformer<V1ConfigMap> informer = informer(true, Set.of(namespace, second));
        watches.hold();

        V1ConfigMap created = configMaps().create(configMap(namespace, "a", "1"));
        configMaps().create(configMap(second, "b", "1"));
        assertThat(values(informer, namespace)).containsExactly("a=1");
        assertThat(values(informer, second)).containsExactly("b=1");
        assertThat(informer.getIndexer().indexKeys("value", "1"))
                .containsExactlyInAnyOrder(namespace + "/a", second + "/b");
        V1ConfigMap read = informer.getIndexer().getByKey(namespace + "/a");
        assertThat(read.getMetadata().getResourceVersion())
                .isEqualTo(created.getMetadata().getResourceVersion());
        assertThat(read.getKind()).isEqualTo("ConfigMap");
        assertThat(read.getMetadata().getManagedFields()).isNull();
        // The author may do with his own copy as he likes.
        assertThat(read).isNotSameAs(created);

        configMaps().update(created.data(Map.of("value", "2")));
        configMaps().patch(second, "b", new Patch.Merge("{\"data\":{\"value\":\"3\"}}"));
        assertThat(values(informer, namespace)).containsExactly("a=2");
        assertThat(values(informer, second)).containsExactly("b=3");
        assertThat(informer.getIndexer().indexKeys("value", "1")).isEmpty();
        assertThat(informer.getIndexer().indexKeys("value", "3")).containsExactly(second + "/b");

        configMaps().delete(namespace, "a");
        assertThat(values(informer, namespace)).isEmpty();
        assertThat(informer.getIndexer().indexKeys("value", "2")).isEmpty();
        assertThat(informer.getIndexer().getByKey(namespace + "/a")).isNull();
        assertThat(told()).isEmpty();
        assertThat(informer.status().ownWrites()).isEqualTo(2);

        watches.release();
        await().until(() -> informer.status().ownWrites() == 0);
        await().untilAsserted(() -> assertThat(told())
                .containsExactlyInAnyOrder("created a", "updated a", "deleted a", "created b", "updated b"));
        assertThat(values(informer, namespace)).isEmpty();
        assertThat(values(informer, second)).containsExactly("b=3");
    }

    @Test
    void showsWhatClientJavasOwnClassesWrite() throws Exception {
        HostInformer<V1ConfigMap> informer = informer(true, Set.of(namespace));
        CoreV1Api core = new CoreV1Api(connection.apiClient());
        GenericKubernetesApi<V1ConfigMap, V1ConfigMapList> generic = new GenericKubernetesApi<>(
                V1ConfigMap.class, V1ConfigMapList.class, "", "v1", "configmaps", connection.apiClient());
        watches.hold();

        V1ConfigMap created = core.createNamespacedConfigMap(namespace, configMap(namespace, "core", "1"))
                .execute();
        assertThat(values(informer, namespace)).containsExactly("core=1");
        core.replaceNamespacedConfigMap("core", namespace, created.data(Map.of("value", "2")))
                .execute();
        assertThat(values(informer, namespace)).containsExactly("core=2");
        core.deleteNamespacedConfigMap("core", namespace).execute();
        assertThat(values(informer, namespace)).isEmpty();

        generic.create(configMap(namespace, "generic", "1")).throwsApiException();
        assertThat(values(informer, namespace)).containsExactly("generic=1");
        generic.delete(namespace, "generic").throwsApiException();
        assertThat(values(informer, namespace)).isEmpty();
        assertThat(told()).isEmpty();
    }

    @Test
    void showsAnObjectThatItsFinalizerKeepsAsBeingDeleted() throws Exception {
        HostInformer<V1ConfigMap> informer = informer(true, Set.of(namespace));
        V1ConfigMap kept = configMap(namespace, "kept", "1");
        kept.getMetadata().setFinalizers(List.of("informer.test/keep"));
        watches.hold();

        configMaps().create(kept);
        configMaps().delete(namespace, "kept");
        assertThat(informer.lister()
                        .namespace(namespace)
                        .get("kept")
                        .getMetadata()
                        .getDeletionTimestamp())
                .isNotNull();

        configMaps().patch(namespace, "kept", new Patch.Merge("{\"metadata\":{\"finalizers\":null}}"));
        assertThat(values(informer, namespace)).isEmpty();
        assertThat(told()).isEmpty();
        watches.release();
        await().untilAsserted(() -> assertThat(told()).last().isEqualTo("deleted kept"));
        assertThat(values(informer, namespace)).isEmpty();
        assertThat(informer.status().ownWrites()).isZero();
    }

    @Test
    void showsANamespaceThatIsBeingEmptied() throws Exception {
        informer(true, Set.of());
        if (!server.isEmbedded()) {
            // So that the plane's own controller, which finds it empty, is not first.
            finalizeSecond(List.of("kubernetes", "example.com/hold"));
        }
        HostInformer<V1Namespace> namespaces =
                java.util.Objects.requireNonNull(factory).informer(ResourceTypes.NAMESPACE);
        namespaces.run();
        await().until(namespaces::hasSynced);
        watches.hold();

        new ResourceClient<>(connection.apiClient(), ResourceTypes.NAMESPACE).delete(null, second);

        V1Namespace shown = namespaces.getIndexer().getByKey(second);
        assertThat(shown).isNotNull();
        assertThat(shown.getMetadata().getDeletionTimestamp()).isNotNull();

        if (server.isEmbedded()) {
            // It does not serve that subresource.
            return;
        }
        // As its controller does once it is empty.
        finalizeSecond(List.of());

        assertThat(namespaces.getIndexer().getByKey(second)).isNull();
        watches.release();
        await().until(() -> namespaces.status().ownWrites() == 0);
        assertThat(namespaces.getIndexer().getByKey(second)).isNull();
    }

    private void finalizeSecond(List<String> finalizers) throws ApiException {
        new CoreV1Api(connection.apiClient())
                .replaceNamespaceFinalize(
                        second,
                        new V1Namespace()
                                .metadata(new V1ObjectMeta().name(second))
                                .spec(new V1NamespaceSpec().finalizers(finalizers)))
                .execute();
    }

    @Test
    void takesNoDryRunForADeletion() throws Exception {
        HostInformer<V1ConfigMap> informer = informer(true, Set.of(namespace));
        GenericKubernetesApi<V1ConfigMap, V1ConfigMapList> generic = new GenericKubernetesApi<>(
                V1ConfigMap.class, V1ConfigMapList.class, "", "v1", "configmaps", connection.apiClient());
        watches.hold();
        V1ConfigMap created = configMaps().create(configMap(namespace, "a", "1"));
        DeleteOptions options = new DeleteOptions();
        options.setDryRun(List.of("All"));

        generic.delete(namespace, "a", options).throwsApiException();
        new CoreV1Api(connection.apiClient())
                .deleteNamespacedConfigMap("a", namespace)
                .dryRun("All")
                .execute();
        assertThat(values(informer, namespace)).containsExactly("a=1");

        assertThat(configMaps().delete(namespace, "a", created.getMetadata().getUid()))
                .isTrue();
        assertThat(values(informer, namespace)).isEmpty();
    }

    @Test
    void showsOthersWhatOneInformerCannotTake() throws Exception {
        InformerFactory made = new InformerFactory(
                connection, Clock.system(), timer, InformerOptions.DEFAULTS.withNamespaces(Set.of(namespace)));
        factory = made;
        HostInformer<V1ConfigMap> failing =
                made.informer(Selection.of(ResourceTypes.CONFIG_MAP).transform(object -> {
                    if (object.getMetadata().getName().equals("a")) {
                        throw new IllegalStateException("not this one");
                    }
                    return object;
                }));
        HostInformer<V1ConfigMap> other = made.informer(ResourceTypes.CONFIG_MAP);
        failing.run();
        other.run();
        await().until(() -> failing.hasSynced() && other.hasSynced());
        watches.hold();

        configMaps().create(configMap(namespace, "a", "1"));

        assertThat(values(other, namespace)).containsExactly("a=1");
        assertThat(values(failing, namespace)).isEmpty();
    }

    @Test
    void givesUpWhatSomeoneElseHasDeletedMeanwhile() throws Exception {
        HostInformer<V1ConfigMap> informer = informer(true, Set.of(namespace));
        watches.hold();
        configMaps().create(configMap(namespace, "a", "1"));

        new CoreV1Api(server.client()).deleteNamespacedConfigMap("a", namespace).execute();
        assertThat(values(informer, namespace)).containsExactly("a=1");

        watches.release();
        await().until(() -> values(informer, namespace).isEmpty());
        assertThat(informer.status().ownWrites()).isZero();
    }

    @Test
    void leavesASelectionAsTheAuthorHasLeftIt() throws Exception {
        informer(true, Set.of());
        InformerFactory made = java.util.Objects.requireNonNull(factory);
        CoreV1Api core = new CoreV1Api(connection.apiClient());
        SharedIndexInformer<V1ConfigMap> red = new ClientJavaInformerFactory(made, connection)
                .sharedIndexInformerFor(
                        params -> core.listNamespacedConfigMap(namespace)
                                .labelSelector("colour in (red),!hidden")
                                .fieldSelector("metadata.name!=other")
                                .resourceVersion(params.resourceVersion)
                                .timeoutSeconds(params.timeoutSeconds)
                                .watch(params.watch)
                                .buildCall(null),
                        V1ConfigMap.class,
                        V1ConfigMapList.class);
        red.run();
        await().until(red::hasSynced);
        watches.hold();

        V1ConfigMap object = configMap(namespace, "a", "1");
        object.getMetadata().setLabels(Map.of("colour", "red"));
        V1ConfigMap created = configMaps().create(object);
        configMaps().create(configMap(namespace, "colourless", "1"));
        object.getMetadata().setName("other");
        configMaps().create(object);
        assertThat(red.getIndexer().listKeys()).containsExactly(namespace + "/a");

        created.getMetadata().setLabels(Map.of("colour", "blue"));
        configMaps().update(created);
        assertThat(red.getIndexer().list()).isEmpty();
    }

    @Test
    void canBeSwitchedOff() throws Exception {
        HostInformer<V1ConfigMap> informer = informer(false, Set.of(namespace));
        watches.hold();

        configMaps().create(configMap(namespace, "a", "1"));

        assertThat(values(informer, namespace)).isEmpty();
        watches.release();
        await().until(() -> values(informer, namespace).equals(List.of("a=1")));
    }

    @Test
    void neverReadsSomethingOlderThanItWroteWhileTheWatchRuns() throws Exception {
        HostInformer<V1ConfigMap> informer = informer(true, Set.of(namespace));
        V1ConfigMap current = configMaps().create(configMap(namespace, "a", "0"));
        for (int i = 1; i <= 150; i++) {
            current = configMaps().update(current.data(Map.of("value", Integer.toString(i))));
            assertThat(values(informer, namespace)).containsExactly("a=" + i);
            assertThat(informer.getIndexer().indexKeys("value", Integer.toString(i)))
                    .containsExactly(namespace + "/a");
            if (i % 10 == 0) {
                configMaps().delete(namespace, "a");
                assertThat(values(informer, namespace)).isEmpty();
                current = configMaps().create(configMap(namespace, "a", Integer.toString(i)));
                assertThat(values(informer, namespace)).containsExactly("a=" + i);
            }
        }
        await().until(() -> informer.status().ownWrites() == 0);
        await().untilAsserted(() -> assertThat(values(informer, namespace)).containsExactly("a=150"));
    }
}
