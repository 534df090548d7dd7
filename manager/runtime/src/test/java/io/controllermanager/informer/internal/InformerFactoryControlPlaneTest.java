package io.controllermanager.informer.internal;

import static io.controllermanager.client.internal.connection.Connected.configMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.connection.Connected;
import io.controllermanager.client.internal.connection.WriteFence;
import io.controllermanager.clientjava.internal.ClientJavaInformerFactory;
import io.controllermanager.informer.Selection;
import io.controllermanager.informer.internal.delivery.Subscription;
import io.controllermanager.informer.internal.reflector.ReflectorStatus;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.junit.RealControlPlane;
import io.controllermanager.time.Clock;
import io.kubernetes.client.informer.ResourceEventHandler;
import io.kubernetes.client.informer.SharedIndexInformer;
import io.kubernetes.client.informer.cache.Lister;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ConfigMapList;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinition;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinitionNames;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinitionSpec;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinitionVersion;
import io.kubernetes.client.openapi.models.V1CustomResourceValidation;
import io.kubernetes.client.openapi.models.V1JSONSchemaProps;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.openapi.models.V1SecretList;
import io.kubernetes.client.util.generic.GenericKubernetesApi;
import io.kubernetes.client.util.generic.KubernetesApiResponse;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesApi;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesObject;
import io.kubernetes.client.util.generic.options.ListOptions;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@RealControlPlane
@Isolated("It counts threads of informers.")
class InformerFactoryControlPlaneTest {

    private final Connected api;
    private final String namespace;
    private final Map<InformerFactory, ClientJavaInformerFactory> adapters = new HashMap<>();
    private @Nullable InformerFactory factory;

    InformerFactoryControlPlaneTest(ControlPlane plane) {
        this.api = new Connected(plane);
        this.namespace = plane.createNamespace("informer");
    }

    @AfterEach
    void close() {
        if (factory != null) {
            factory.close();
        }
        api.close();
    }

    /** One for each factory, since it finds again what has been asked of it. */
    private ClientJavaInformerFactory clientJava(InformerFactory informers) {
        return adapters.computeIfAbsent(informers, of -> new ClientJavaInformerFactory(of, api.connection()));
    }

    private InformerFactory factory(Set<String> namespaces) {
        InformerFactory made = new InformerFactory(
                api.connection(), Clock.system(), api.timer(), InformerOptions.DEFAULTS.withNamespaces(namespaces));
        factory = made;
        return made;
    }

    @Test
    void followsCreatesUpdatesAndDeletes() throws Exception {
        api.configMaps().create(configMap(namespace, "before", "1"));
        HostInformer<V1ConfigMap> informer = factory(Set.of(namespace)).informer(ResourceTypes.CONFIG_MAP);
        EventLog<V1ConfigMap> log = new EventLog<>();
        Subscription subscription = informer.subscribe("test", log, Duration.ZERO);
        informer.run();
        await().until(subscription::hasSynced);
        assertThat(log.entries()).containsExactly("initial before");

        V1ConfigMap after = api.configMaps().create(configMap(namespace, "after", "1"));
        api.configMaps().update(after.data(Map.of("value", "2")));
        api.configMaps().delete(namespace, "after");

        await().untilAsserted(() -> assertThat(log.entries())
                .containsExactly("initial before", "created after", "updated after", "deleted after"));
        assertThat(informer.lister().namespace(namespace).get("before").getData())
                .containsEntry("value", "1");
        assertThat(informer.lister().namespace(namespace).get("after")).isNull();
        assertThat(informer.status().lists()).isEqualTo(1);
        assertThat(informer.status().connected()).isTrue();
    }

    @Test
    void startsFromAWatchListWhereItIsToldTo() throws Exception {
        api.configMaps().create(configMap(namespace, "a", "1"));
        api.configMaps().create(configMap(namespace, "b", "1"));
        InformerFactory streaming = new InformerFactory(
                api.connection(),
                Clock.system(),
                api.timer(),
                InformerOptions.DEFAULTS.withNamespaces(Set.of(namespace)).withWatchListFirst(true));
        factory = streaming;
        HostInformer<V1ConfigMap> informer = streaming.informer(ResourceTypes.CONFIG_MAP);
        EventLog<V1ConfigMap> log = new EventLog<>();
        Subscription subscription = informer.subscribe("test", log, Duration.ZERO);
        informer.run();
        await().until(subscription::hasSynced);
        assertThat(log.entries()).containsExactlyInAnyOrder("initial a", "initial b");

        api.configMaps().create(configMap(namespace, "c", "1"));

        await().untilAsserted(() -> assertThat(log.entries()).last().isEqualTo("created c"));
        ReflectorStatus wire = informer.status().reflectors().get(0);
        assertThat(wire.watches()).as("one stream for all").isEqualTo(1);
        assertThat(wire.events()).containsEntry("ADDED", 3L);
        assertThat(informer.getIndexer().getByKey(namespace + "/a").getKind()).isEqualTo("ConfigMap");
    }

    @Test
    void makesListedAndWatchedObjectsAlike() throws Exception {
        api.configMaps().create(configMap(namespace, "listed", "1"));
        HostInformer<V1ConfigMap> informer = factory(Set.of(namespace)).informer(ResourceTypes.CONFIG_MAP);
        informer.run();
        await().until(informer::hasSynced);
        api.configMaps().create(configMap(namespace, "watched", "1"));
        await().until(() -> informer.status().objects() == 2);

        assertThat(informer.getIndexer().list()).allSatisfy(object -> {
            assertThat(object.getApiVersion()).isEqualTo("v1");
            assertThat(object.getKind()).isEqualTo("ConfigMap");
            assertThat(object.getMetadata().getManagedFields()).isNull();
            assertThat(object.getMetadata().getCreationTimestamp()).isNotNull();
        });
    }

    @Test
    void watchesSeveralNamespacesAndNoOther(ControlPlane plane) throws Exception {
        String second = plane.createNamespace("second");
        String other = plane.createNamespace("other");
        HostInformer<V1ConfigMap> informer = factory(Set.of(namespace, second)).informer(ResourceTypes.CONFIG_MAP);
        informer.run();
        await().until(informer::hasSynced);

        api.configMaps().create(configMap(other, "unseen", "1"));
        api.configMaps().create(configMap(namespace, "a", "1"));
        api.configMaps().create(configMap(second, "b", "1"));

        await().until(() -> informer.status().objects() == 2);
        assertThat(informer.getIndexer().listKeys()).containsExactlyInAnyOrder(namespace + "/a", second + "/b");
        assertThat(informer.status().lists()).isEqualTo(2);
    }

    @Test
    void servesClientJavasGenericVariantFromTheSharedInformer() throws Exception {
        InformerFactory shared = factory(Set.of());
        GenericKubernetesApi<V1ConfigMap, V1ConfigMapList> generic = new GenericKubernetesApi<>(
                V1ConfigMap.class,
                V1ConfigMapList.class,
                "",
                "v1",
                "configmaps",
                api.connection().apiClient());
        SharedIndexInformer<V1ConfigMap> informer =
                clientJava(shared).sharedIndexInformerFor(generic, V1ConfigMap.class, 0);

        assertThat(informer).isSameAs(shared.informer(ResourceTypes.CONFIG_MAP));
        assertThat(clientJava(shared).getExistingSharedIndexInformer(V1ConfigMap.class))
                .isSameAs(informer);
        shared.start();
        await().until(informer::hasSynced);
        api.configMaps().create(configMap(namespace, "a", "1"));
        await().until(() -> new Lister<>(informer.getIndexer(), namespace).get("a") != null);
    }

    /** As client-java's {@code @KubernetesInformer} makes them for a custom resource. */
    @Test
    void knowsAGenericApisTypeThoughNotItsClass() throws Exception {
        api.configMaps().create(configMap(namespace, "a", "1"));
        InformerFactory shared = factory(Set.of());
        GenericKubernetesApi<Widget, WidgetList> generic = new GenericKubernetesApi<>(
                Widget.class,
                WidgetList.class,
                "",
                "v1",
                "configmaps",
                api.connection().apiClient());
        SharedIndexInformer<Widget> informer =
                clientJava(shared).sharedIndexInformerFor(generic, Widget.class, 0, namespace);

        assertThat(clientJava(shared).sharedIndexInformerFor(generic, Widget.class, 0, namespace))
                .isSameAs(informer);
        assertThat(clientJava(shared).sharedIndexInformerFor(generic, Widget.class, 0))
                .isNotSameAs(informer);
        informer.run();
        await().until(informer::hasSynced);
        HostInformer<Widget> ours = (HostInformer<Widget>) informer;
        await().until(() -> ours.status().connected());
        // Paged, with bookmarks and with own writes, which a caller's own ListerWatcher does not get.
        assertThat(ours.status().resource()).isEqualTo("configmaps/v1");
        assertThat(ours.status().reflectors().get(0).namespace()).isEqualTo(namespace);
        api.configMaps().create(configMap(namespace, "b", "1"));
        assertThat(informer.getIndexer().listKeys()).contains(namespace + "/a", namespace + "/b");
    }

    @Test
    void leavesAGenericApiItsOwnClient() {
        InformerFactory shared = factory(Set.of());
        GenericKubernetesApi<Widget, WidgetList> elsewhere = new GenericKubernetesApi<>(
                Widget.class, WidgetList.class, "informer.test", "v1", "widgets", new ApiClient());

        HostInformer<Widget> informer =
                (HostInformer<Widget>) clientJava(shared).sharedIndexInformerFor(elsewhere, Widget.class, 0);

        assertThat(informer.status().resource()).isEqualTo(Widget.class.getName());
    }

    @Test
    void sharesWithAGenericApiWhoseClientIsDerivedFromTheHosts() {
        InformerFactory shared = factory(Set.of());

        assertThat(clientJava(shared)
                        .sharedIndexInformerFor(
                                genericConfigMaps("v1", api.connection().fencedClient(WriteFence.open())),
                                V1ConfigMap.class,
                                0))
                .isSameAs(shared.informer(ResourceTypes.CONFIG_MAP));
    }

    @Test
    void doesNotShareWithAGenericApiOfAnotherClusterOrVersion() {
        InformerFactory shared = factory(Set.of());
        HostInformer<V1ConfigMap> ours = shared.informer(ResourceTypes.CONFIG_MAP);

        HostInformer<V1ConfigMap> elsewhere = (HostInformer<V1ConfigMap>) clientJava(shared)
                .sharedIndexInformerFor(genericConfigMaps("v1", new ApiClient()), V1ConfigMap.class, 0);
        HostInformer<V1ConfigMap> another = (HostInformer<V1ConfigMap>) clientJava(shared)
                .sharedIndexInformerFor(genericConfigMaps("v2", api.connection().apiClient()), V1ConfigMap.class, 0);

        assertThat(elsewhere).isNotSameAs(ours);
        assertThat(elsewhere.status().resource()).isEqualTo(V1ConfigMap.class.getName());
        assertThat(another.status().resource()).isEqualTo("configmaps/v2");
    }

    private static GenericKubernetesApi<V1ConfigMap, V1ConfigMapList> genericConfigMaps(
            String version, ApiClient client) {
        return new GenericKubernetesApi<>(V1ConfigMap.class, V1ConfigMapList.class, "", version, "configmaps", client);
    }

    /** It may list and watch in a way of its own. */
    @Test
    void asksASubclassOfAGenericApiItself() throws Exception {
        api.configMaps().create(configMap(namespace, "a", "1"));
        AtomicInteger lists = new AtomicInteger();
        GenericKubernetesApi<V1ConfigMap, V1ConfigMapList> own =
                new GenericKubernetesApi<>(
                        V1ConfigMap.class,
                        V1ConfigMapList.class,
                        "",
                        "v1",
                        "configmaps",
                        api.connection().apiClient()) {
                    @Override
                    public KubernetesApiResponse<V1ConfigMapList> list(String inNamespace, ListOptions listOptions) {
                        lists.incrementAndGet();
                        return super.list(inNamespace, listOptions);
                    }
                };
        SharedIndexInformer<V1ConfigMap> informer =
                clientJava(factory(Set.of())).sharedIndexInformerFor(own, V1ConfigMap.class, 0, namespace);
        informer.run();

        await().until(informer::hasSynced);
        assertThat(lists).hasPositiveValue();
        assertThat(informer.getIndexer().listKeys()).contains(namespace + "/a");
    }

    @Test
    void watchesATypeWithoutAClassInTheNamespacesConfigured(ControlPlane plane) throws Exception {
        String second = plane.createNamespace("second");
        String other = plane.createNamespace("other");
        InformerFactory several = factory(Set.of(namespace, second));
        DynamicKubernetesApi configMaps = new DynamicKubernetesApi(
                "", "v1", "configmaps", api.connection().apiClient());
        HostInformer<DynamicKubernetesObject> informer = (HostInformer<DynamicKubernetesObject>)
                clientJava(several).sharedIndexInformerFor(configMaps, DynamicKubernetesObject.class, 0);
        informer.run();
        await().until(informer::hasSynced);
        api.configMaps().create(configMap(other, "unseen", "1"));
        api.configMaps().create(configMap(namespace, "a", "1"));
        api.configMaps().create(configMap(second, "b", "1"));

        await().until(() -> informer.status().objects() == 2);
        assertThat(informer.getIndexer().listKeys()).containsExactlyInAnyOrder(namespace + "/a", second + "/b");
        assertThat(informer.status().reflectors())
                .extracting(ReflectorStatus::namespace)
                .containsExactlyInAnyOrder(namespace, second);
    }

    @Test
    void watchesATypeOfTheClusterWhateverNamespacesAreConfigured() {
        DynamicKubernetesApi namespaces = new DynamicKubernetesApi(
                "", "v1", "namespaces", api.connection().apiClient());
        SharedIndexInformer<DynamicKubernetesObject> informer = clientJava(factory(Set.of(namespace)))
                .sharedIndexInformerFor(namespaces, DynamicKubernetesObject.class, 0);
        informer.run();

        await().until(informer::hasSynced);
        assertThat(informer.getIndexer().listKeys()).contains(namespace, "kube-system");
    }

    @Test
    void servesClientJavasCallGeneratorVariant() throws Exception {
        InformerFactory shared = factory(Set.of());
        CoreV1Api core = new CoreV1Api(api.connection().apiClient());
        SharedIndexInformer<V1Secret> all = clientJava(shared)
                .sharedIndexInformerFor(
                        params -> core.listSecretForAllNamespaces()
                                .resourceVersion(params.resourceVersion)
                                .timeoutSeconds(params.timeoutSeconds)
                                .watch(params.watch)
                                .buildCall(null),
                        V1Secret.class,
                        V1SecretList.class);
        SharedIndexInformer<V1Secret> some = clientJava(shared)
                .sharedIndexInformerFor(
                        params -> core.listNamespacedSecret(namespace)
                                .labelSelector("wanted=yes")
                                .resourceVersion(params.resourceVersion)
                                .timeoutSeconds(params.timeoutSeconds)
                                .watch(params.watch)
                                .buildCall(null),
                        V1Secret.class,
                        V1SecretList.class);

        assertThat(all).isSameAs(shared.informer(ResourceTypes.SECRET));
        assertThat(some).isNotSameAs(all);
        assertThat(clientJava(shared)
                        .sharedIndexInformerFor(
                                params -> core.listNamespacedSecret(namespace)
                                        .labelSelector("wanted=yes")
                                        .resourceVersion(params.resourceVersion)
                                        .timeoutSeconds(params.timeoutSeconds)
                                        .watch(params.watch)
                                        .buildCall(null),
                                V1Secret.class,
                                V1SecretList.class))
                .as("another that asks for the same")
                .isSameAs(some);
        ConcurrentLinkedQueue<String> told = new ConcurrentLinkedQueue<>();
        some.addEventHandler(new ResourceEventHandler<>() {
            @Override
            public void onAdd(V1Secret object) {
                told.add("add " + object.getMetadata().getName());
            }

            @Override
            public void onUpdate(V1Secret before, V1Secret object) {
                told.add("update " + object.getMetadata().getName());
            }

            @Override
            public void onDelete(V1Secret object, boolean finalStateUnknown) {
                told.add("delete " + object.getMetadata().getName() + " " + finalStateUnknown);
            }
        });
        shared.start();
        await().until(() -> all.hasSynced() && some.hasSynced());
        api.client(ResourceTypes.SECRET).create(secret("wanted", Map.of("wanted", "yes")));
        api.client(ResourceTypes.SECRET).create(secret("unwanted", Map.of()));
        api.client(ResourceTypes.SECRET).delete(namespace, "wanted");

        await().untilAsserted(() -> assertThat(told).containsExactly("add wanted", "delete wanted false"));
        await().until(() -> all.getIndexer().getByKey(namespace + "/unwanted") != null);
        assertThat(all.getIndexer().getByKey(namespace + "/unwanted").getData())
                .containsEntry("key", "s3cret".getBytes(StandardCharsets.UTF_8));
    }

    private V1Secret secret(String name, Map<String, String> labels) {
        return new V1Secret()
                .metadata(new V1ObjectMeta().namespace(namespace).name(name).labels(labels))
                .data(Map.of("key", "s3cret".getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void waitsForATypeThatIsInstalledLater() throws Exception {
        ResourceType<Widget> widgets =
                ResourceType.namespaced(Widget.class, "informer.test", "v1", "Widget", "widgets");
        HostInformer<Widget> informer = factory(Set.of()).informer(widgets);
        informer.run();
        await().untilAsserted(() -> assertThat(informer.status().lastError()).contains("404"));

        api.client(ResourceTypes.CUSTOM_RESOURCE_DEFINITION).create(widgetDefinition());

        await().until(informer::hasSynced);
        Widget widget = new Widget();
        widget.setApiVersion("informer.test/v1");
        widget.setKind("Widget");
        widget.metadata = new V1ObjectMeta().namespace(namespace).name("w");
        widget.spec = Map.of("size", 3.0);
        api.client(widgets).create(widget);
        await().until(() -> informer.getIndexer().getByKey(namespace + "/w") != null);
        assertThat(informer.getIndexer().getByKey(namespace + "/w").spec).containsEntry("size", 3.0);
    }

    private static V1CustomResourceDefinition widgetDefinition() {
        return new V1CustomResourceDefinition()
                .apiVersion("apiextensions.k8s.io/v1")
                .kind("CustomResourceDefinition")
                .metadata(new V1ObjectMeta().name("widgets.informer.test"))
                .spec(new V1CustomResourceDefinitionSpec()
                        .group("informer.test")
                        .scope("Namespaced")
                        .names(new V1CustomResourceDefinitionNames()
                                .kind("Widget")
                                .plural("widgets")
                                .singular("widget"))
                        .versions(List.of(new V1CustomResourceDefinitionVersion()
                                .name("v1")
                                .served(true)
                                .storage(true)
                                .schema(new V1CustomResourceValidation()
                                        .openAPIV3Schema(new V1JSONSchemaProps()
                                                .type("object")
                                                .xKubernetesPreserveUnknownFields(true))))));
    }

    @Test
    void stopsAndStartsAfresh() throws Exception {
        api.configMaps().create(configMap(namespace, "a", "1"));
        InformerFactory restarted = factory(Set.of(namespace));
        HostInformer<V1ConfigMap> informer = restarted.informer(ResourceTypes.CONFIG_MAP);
        EventLog<V1ConfigMap> log = new EventLog<>();
        Subscription subscription = informer.subscribe("restart", log, Duration.ZERO);
        restarted.start();
        await().until(subscription::hasSynced);

        restarted.stop();

        assertThat(informer.hasSynced()).isFalse();
        assertThat(subscription.hasSynced()).isFalse();
        assertThat(informer.getIndexer().list()).as("what was there last").hasSize(1);
        await().until(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().startsWith("informer-configmaps")));

        restarted.start();

        await().until(subscription::hasSynced);
        assertThat(log.entries()).containsExactly("initial a", "initial a");
    }

    @Test
    void releasesAnInformerThatNobodyNeeds() {
        InformerFactory releasing = factory(Set.of(namespace));
        HostInformer<V1ConfigMap> informer = releasing.informer(Selection.of(ResourceTypes.CONFIG_MAP));
        Subscription subscription = informer.subscribe("test", new EventLog<>(), Duration.ZERO);
        informer.run();
        await().until(informer::hasSynced);

        assertThat(releasing.release(informer)).isFalse();
        subscription.close();
        assertThat(releasing.release(informer)).isTrue();

        assertThat(releasing.statuses()).isEmpty();
        assertThat(releasing.informer(ResourceTypes.CONFIG_MAP)).isNotSameAs(informer);
    }

    @Test
    void keepsAnInformerThatAnotherStillReads() throws Exception {
        api.configMaps().create(configMap(namespace, "a", "1"));
        InformerFactory releasing = factory(Set.of(namespace));
        HostInformer<V1ConfigMap> informer = releasing.informer(Selection.of(ResourceTypes.CONFIG_MAP));
        HostInformer<V1ConfigMap> reader = releasing.informer(Selection.of(ResourceTypes.CONFIG_MAP));
        informer.run();
        await().until(informer::hasSynced);

        assertThat(releasing.release(informer)).isFalse();
        assertThat(reader.lister().namespace(namespace).list()).hasSize(1);

        assertThat(releasing.release(reader)).isTrue();
        assertThat(reader.getIndexer().list()).isEmpty();
    }

    @Test
    void keepsAnInformerThatWasNotOnlyAcquired() {
        InformerFactory releasing = factory(Set.of(namespace));
        HostInformer<V1ConfigMap> informer = releasing.informer(Selection.of(ResourceTypes.CONFIG_MAP));
        assertThat(releasing.informer(ResourceTypes.CONFIG_MAP)).isSameAs(informer);

        assertThat(releasing.release(informer)).isFalse();
        assertThat(releasing.statuses()).hasSize(1);
    }
}
