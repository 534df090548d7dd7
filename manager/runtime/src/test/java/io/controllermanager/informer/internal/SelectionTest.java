package io.controllermanager.informer.internal;

import static io.controllermanager.client.internal.connection.Connected.configMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.client.ApiDiscovery;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.informer.Indexers;
import io.controllermanager.informer.PartialObjectMetadata;
import io.controllermanager.informer.Selection;
import io.controllermanager.testing.bothservers.OnBothServers;
import io.controllermanager.testing.bothservers.TestedServer;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.SystemTimer;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesObject;
import io.kubernetes.client.util.labels.EqualityMatcher;
import io.kubernetes.client.util.labels.LabelSelector;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@OnBothServers
class SelectionTest {

    private static final LabelSelector RED = LabelSelector.and(EqualityMatcher.equal("colour", "red"));
    private static final UnaryOperator<V1ConfigMap> WITHOUT_DATA = SelectionTest::withoutData;

    private final HeldWatches watches = new HeldWatches();
    private final SystemTimer timer = new SystemTimer("test-timer");
    private final ApiConnection connection;
    private final InformerFactory factory;
    private final String namespace;
    private final String second;

    SelectionTest(TestedServer server) {
        var client = server.client();
        client.setHttpClient(
                client.getHttpClient().newBuilder().addInterceptor(watches).build());
        connection =
                ApiConnection.builder(Clock.system(), timer).apiClient(client).build();
        namespace = server.createNamespace();
        second = server.createNamespace();
        factory = new InformerFactory(
                connection, Clock.system(), timer, InformerOptions.DEFAULTS.withNamespaces(Set.of(namespace)));
    }

    private static V1ConfigMap withoutData(V1ConfigMap object) {
        return object.data(null);
    }

    @AfterEach
    void close() {
        watches.release();
        factory.close();
        connection.close();
        timer.close();
    }

    private V1ConfigMap create(String inNamespace, String name, String colour) throws Exception {
        V1ConfigMap object = configMap(inNamespace, name, colour);
        object.getMetadata().setLabels(Map.of("colour", colour));
        return new ResourceClient<>(connection.apiClient(), ResourceTypes.CONFIG_MAP).create(object);
    }

    private static List<String> names(HostInformer<?> informer) {
        return informer.getIndexer().list().stream()
                .map(object -> object.getMetadata().getName())
                .filter(name -> !name.equals("kube-root-ca.crt"))
                .sorted()
                .toList();
    }

    @Test
    void holdsSomeObjectsOfSomeNamespaces() throws Exception {
        create(namespace, "a", "red");
        create(second, "b", "red");
        create(second, "c", "blue");
        HostInformer<V1ConfigMap> red = factory.informer(Selection.of(ResourceTypes.CONFIG_MAP)
                .inNamespaces(Set.of(namespace, second))
                .labelled(RED));
        HostInformer<V1ConfigMap> one =
                factory.informer(Selection.of(ResourceTypes.CONFIG_MAP).fields("metadata.name=a"));
        red.run();
        one.run();
        await().until(() -> red.hasSynced() && one.hasSynced());

        assertThat(names(red)).containsExactly("a", "b");
        assertThat(names(one)).containsExactly("a");
        create(second, "d", "red");
        create(second, "e", "blue");
        assertThat(names(red)).containsExactly("a", "b", "d");
        // The one that is not selected stays until a bookmark comes: an older state of it could be on its way.
        await().until(() -> red.status().ownWrites() <= 1);
        assertThat(names(red)).containsExactly("a", "b", "d");
        assertThat(factory.statuses())
                .extracting(InformerStatus::resource)
                .containsExactly("configmaps/v1 with fields metadata.name=a", "configmaps/v1 with labels colour = red");
    }

    @Test
    void holdsMetadataOnly() throws Exception {
        V1ConfigMap first = create(namespace, "first", "red");
        HostInformer<PartialObjectMetadata> informer = factory.informer(Selection.metadataOf(ResourceTypes.CONFIG_MAP));
        informer.run();
        await().until(() -> informer.hasSynced() && informer.status().connected());
        watches.hold();
        create(namespace, "second", "blue");
        // The answer to a write is the whole object, and reduced as well.
        assertThat(names(informer)).containsExactly("first", "second");
        watches.release();
        await().until(() -> informer.status().ownWrites() == 0);

        assertThat(informer.getIndexer().list()).allSatisfy(object -> {
            assertThat(object.getKind()).isEqualTo("ConfigMap");
            assertThat(object.getApiVersion()).isEqualTo("v1");
            assertThat(object.getMetadata().getManagedFields()).isNull();
        });
        PartialObjectMetadata held = informer.lister().namespace(namespace).get("first");
        assertThat(held.getMetadata().getUid()).isEqualTo(first.getMetadata().getUid());
        assertThat(held.getMetadata().getLabels()).containsEntry("colour", "red");
        assertThat(factory.informer(ResourceTypes.CONFIG_MAP)).isNotSameAs(informer);
    }

    @Test
    void keepsAPartOfEachObject() throws Exception {
        create(namespace, "listed", "red");
        Selection<V1ConfigMap> reduced = Selection.of(ResourceTypes.CONFIG_MAP).transform(WITHOUT_DATA);
        HostInformer<V1ConfigMap> informer = factory.informer(reduced);
        informer.run();
        await().until(informer::hasSynced);
        create(namespace, "written", "red");

        assertThat(names(informer)).containsExactly("listed", "written");
        assertThat(informer.getIndexer().list())
                .allSatisfy(object -> assertThat(object.getData()).isNullOrEmpty());
        await().until(() -> informer.status().ownWrites() == 0);
        assertThat(informer.getIndexer().list())
                .allSatisfy(object -> assertThat(object.getData()).isNullOrEmpty());
    }

    @Test
    void sharesWhatIsSelectedAlike() {
        Selection<V1ConfigMap> reduced =
                Selection.of(ResourceTypes.CONFIG_MAP).labelled(RED).transform(WITHOUT_DATA);
        HostInformer<V1ConfigMap> informer = factory.informer(reduced);

        assertThat(factory.informer(
                        Selection.of(ResourceTypes.CONFIG_MAP).labelled(RED).transform(WITHOUT_DATA)))
                .isSameAs(informer);
        assertThat(factory.informer(reduced.inNamespaces(Set.of(namespace)))).isSameAs(informer);
        assertThat(factory.informer(reduced.inNamespaces(Set.of(second)))).isNotSameAs(informer);
        assertThat(factory.informer(Selection.of(ResourceTypes.CONFIG_MAP))).isNotSameAs(informer);
        // By the class, the whole objects are meant.
        assertThat(factory.existing(V1ConfigMap.class)).isSameAs(factory.informer(ResourceTypes.CONFIG_MAP));

        assertThat(factory.release(informer)).isFalse();
        assertThat(factory.release(informer)).isFalse();
        assertThat(factory.release(informer)).isTrue();
    }

    @Test
    void followsTypesThatHaveNoClass() throws Exception {
        ApiDiscovery discovery = new ApiDiscovery(connection.apiClient(), Clock.system());
        ResourceType<DynamicKubernetesObject> type =
                Objects.requireNonNull(discovery.dynamicType("", "v1", "configmaps"));
        assertThat(type.kind()).isEqualTo("ConfigMap");
        assertThat(type.scope()).isEqualTo(ResourceType.Scope.NAMESPACED);
        assertThat(discovery.dynamicType("", "v1", "nonesuch")).isNull();
        assertThat(discovery.dynamicType("none.such", "v1", "things")).isNull();
        create(namespace, "listed", "red");

        HostInformer<DynamicKubernetesObject> informer = factory.informer(type);
        EventLog<DynamicKubernetesObject> log = new EventLog<>();
        informer.subscribe("test", log, java.time.Duration.ZERO);
        informer.addIndexers(Map.of("colour", Indexers.label("colour")));
        informer.run();
        await().until(informer::hasSynced);
        create(namespace, "written", "red");

        assertThat(informer.getIndexer().indexKeys("colour", "red"))
                .containsExactlyInAnyOrder(namespace + "/listed", namespace + "/written");
        await().until(() -> log.entries().contains("created written"));
        assertThat(informer.getIndexer().list()).allSatisfy(object -> {
            assertThat(object.getKind()).isEqualTo("ConfigMap");
            assertThat(object.getApiVersion()).isEqualTo("v1");
            assertThat(object.getRaw().getAsJsonObject("metadata").has("managedFields"))
                    .isFalse();
        });
        DynamicKubernetesObject held = informer.getIndexer().getByKey(namespace + "/written");
        assertThat(held.getRaw().getAsJsonObject("data").get("value").getAsString())
                .isEqualTo("red");
        ResourceType<DynamicKubernetesObject> namespaces =
                Objects.requireNonNull(discovery.dynamicType("", "v1", "namespaces"));
        assertThat(factory.informer(namespaces)).isNotSameAs(informer);
    }
}
