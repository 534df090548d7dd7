package io.controllermanager.test;

import static io.controllermanager.test.Described.controller;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.event.RequestMapper;
import io.controllermanager.external.External;
import io.controllermanager.informer.Selection;
import io.controllermanager.readiness.Readiness;
import io.controllermanager.reconciler.Conditions;
import io.controllermanager.reconciler.Outcome;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1DeploymentSpec;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesObject;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the Java Operator SDK has a kind of dependent resource for, as a reconciler says it. See {@link WorkflowsTest}. */
class DependentsTest {

    private static final String NAMESPACE = "default";
    private static final String NAME = "g";
    private static final String FOR = "greeting";

    private final ApiServer server =
            ApiServer.builder().manifests("classpath:greetings.yaml").start();
    private final ResourceClient<Greeting> greetings = new ResourceClient<>(server.client(), Greeting.TYPE);
    private final ResourceClient<V1ConfigMap> configMaps =
            new ResourceClient<>(server.client(), ResourceTypes.CONFIG_MAP);
    private final ResourceClient<V1Secret> secrets = new ResourceClient<>(server.client(), ResourceTypes.SECRET);

    @BeforeEach
    void create() throws ApiException {
        greetings.create(new Greeting(NAME, NAME, ""));
    }

    @AfterEach
    void close() {
        server.close();
    }

    /** Which greeting a ConfigMap of somebody else's is for. */
    private static final RequestMapper<V1ConfigMap> FOR_GREETING = configMap -> {
        String name = labels(configMap).get(FOR);
        return name == null ? Set.of() : Set.of(new Request(NAMESPACE, name));
    };

    private static Map<String, String> labels(V1ConfigMap configMap) {
        return Objects.requireNonNullElse(configMap.getMetadata().getLabels(), Map.of());
    }

    private static V1ConfigMap somebodyElses(String name, String text) {
        return new V1ConfigMap()
                .metadata(new V1ObjectMeta().namespace(NAMESPACE).name(name).putLabelsItem(FOR, NAME))
                .putDataItem("text", text);
    }

    /** Bulk dependents that are only read: {@code watches}, and the lister. */
    @Test
    void whatOthersMakeIsReadAsManyAsThereAre() throws ApiException {
        ControllerDescriptor reader =
                controller("reader", d -> d.watches(ResourceTypes.CONFIG_MAP, FOR_GREETING), (greeting, r) -> {
                    List<String> texts = r.context().informer(ResourceTypes.CONFIG_MAP).lister().list().stream()
                            .filter(configMap ->
                                    greeting.name().equals(labels(configMap).get(FOR)))
                            .map(configMap -> configMap.getData().get("text"))
                            .sorted()
                            .toList();
                    return Outcome.ready("Read" + texts.size(), String.join(",", texts));
                });
        try (RunningManager host = RunningManager.start(server, reader)) {
            host.settles();
            assertThat(ready().getReason()).isEqualTo("Read0");

            configMaps.create(somebodyElses("a", "x"));
            configMaps.create(somebodyElses("b", "y"));
            host.settles();
            assertThat(ready().getMessage()).isEqualTo("x,y");

            configMaps.patch(NAMESPACE, "a", new Patch.Merge("{\"data\":{\"text\":\"z\"}}"));
            host.settles();
            assertThat(ready().getMessage()).isEqualTo("y,z");

            configMaps.delete(NAMESPACE, "b");
            host.settles();
            assertThat(ready().getReason()).isEqualTo("Read1");
        }
    }

    /** A filter on the events of a dependent: the predicate of {@code watches}. */
    @Test
    void whatDoesNotMatterBringsNobodyIn() throws ApiException {
        ControllerDescriptor filtering = controller(
                "filtering",
                d -> d.watches(
                        Selection.of(ResourceTypes.CONFIG_MAP),
                        FOR_GREETING,
                        event -> event.object().getData().containsKey("matters")),
                (greeting, r) -> Outcome.done());
        try (RunningManager host = RunningManager.start(server, filtering)) {
            host.converges();
            long before = host.status().reconciles();

            configMaps.create(somebodyElses("a", "x"));
            host.converges();
            assertThat(host.status().reconciles()).isEqualTo(before);

            configMaps.patch(NAMESPACE, "a", new Patch.Merge("{\"data\":{\"matters\":\"yes\"}}"));
            host.converges();
            assertThat(host.status().reconciles()).isEqualTo(before + 1);
        }
    }

    /** Activation conditions of several dependents, on and off: an if for each. */
    @Test
    void whatIsSwitchedOnIsThereAndWhatIsSwitchedOffIsNot() throws ApiException {
        ControllerDescriptor switching = controller(
                "switching",
                d -> d.owns(ResourceTypes.CONFIG_MAP).owns(ResourceTypes.SECRET).prunes(),
                (greeting, r) -> {
                    if (greeting.spec().text().contains("configMap")) {
                        r.apply(new V1ConfigMap());
                    }
                    if (greeting.spec().text().contains("secret")) {
                        r.apply(new V1Secret());
                    }
                    r.pruneOthers();
                    return Outcome.done();
                });
        try (RunningManager host = RunningManager.start(server, switching)) {
            for (String on : List.of("", "configMap", "configMap secret", "secret", "", "secret configMap")) {
                change(on);
                host.settles();
                assertThat(configMaps.get(NAMESPACE, NAME) != null).as(on).isEqualTo(on.contains("configMap"));
                assertThat(secrets.get(NAMESPACE, NAME) != null).as(on).isEqualTo(on.contains("secret"));
            }
        }
    }

    /** A part of a dependent that is not modified: what is there goes into what is wanted. */
    @Test
    void aPartStaysAsItWasMade() throws ApiException {
        ControllerDescriptor keeping = controller("keeping", d -> d.owns(ResourceTypes.CONFIG_MAP), (greeting, r) -> {
            String text = greeting.spec().text();
            V1ConfigMap child = r.child(ResourceTypes.CONFIG_MAP, greeting.name());
            String first = child == null ? text : child.getData().get("first");
            r.apply(new V1ConfigMap().data(Map.of("first", first, "now", text)));
            return Outcome.done();
        });
        try (RunningManager host = RunningManager.start(server, keeping)) {
            host.settles();
            change("other");
            host.settles();
            assertThat(configMaps.get(NAMESPACE, NAME).getData()).isEqualTo(Map.of("first", "", "now", "other"));
        }
    }

    /** A generic dependent: an object without a class, of a type that discovery would give as well. */
    @Test
    void aChildNeedsNoClass() throws ApiException {
        ResourceType<DynamicKubernetesObject> type =
                ResourceType.namespaced(DynamicKubernetesObject.class, "", "v1", "ConfigMap", "configmaps");
        ControllerDescriptor generic = controller("generic", d -> d.owns(type), (greeting, r) -> {
            String child = "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{},\"data\":{\"text\":\"%s\"}}";
            r.apply(new DynamicKubernetesObject(
                    JsonParser.parseString(child.formatted(greeting.spec().text()))
                            .getAsJsonObject()));
            return Outcome.done();
        });
        try (RunningManager host = RunningManager.start(server, generic)) {
            change("hello");
            host.settles();
            V1ConfigMap child = Objects.requireNonNull(configMaps.get(NAMESPACE, NAME));
            assertThat(child.getData()).containsEntry("text", "hello");
            assertThat(child.getMetadata().getOwnerReferences()).hasSize(1);

            configMaps.delete(NAMESPACE, NAME);
            host.settles();
            assertThat(configMaps.get(NAMESPACE, NAME)).isNotNull();
        }
    }

    /** A ready condition between two dependents: {@code r.ready}, and an early return. */
    @Test
    void theNextStageWaitsUntilAChildIsReady() throws ApiException {
        ControllerDescriptor staged = controller(
                "staged", d -> d.owns(ResourceTypes.DEPLOYMENT).owns(ResourceTypes.CONFIG_MAP), (greeting, r) -> {
                    Readiness ready = r.ready(r.apply(deployment()));
                    if (!ready.isReady()) {
                        return Outcome.of(ready);
                    }
                    r.apply(new V1ConfigMap());
                    return Outcome.ready("Staged", "both stages are done");
                });
        try (RunningManager host = RunningManager.start(server, staged)) {
            host.settles();
            assertThat(ready().getStatus()).isEqualTo("False");
            assertThat(configMaps.get(NAMESPACE, NAME)).isNull();

            new ResourceClient<>(server.client(), ResourceTypes.DEPLOYMENT)
                    .patchStatus(NAMESPACE, NAME, new Patch.Merge("""
                            {"status": {"observedGeneration": 1, "replicas": 1, "updatedReplicas": 1,
                              "readyReplicas": 1, "availableReplicas": 1}}"""));
            host.settles();
            assertThat(ready().getReason()).isEqualTo("Staged");
            assertThat(configMaps.get(NAMESPACE, NAME)).isNotNull();
        }
    }

    private static V1Deployment deployment() {
        Map<String, String> labels = Map.of(FOR, NAME);
        V1PodSpec pod =
                new V1PodSpec().addContainersItem(new V1Container().name("main").image("nginx:1.29"));
        return new V1Deployment()
                .spec(new V1DeploymentSpec()
                        .replicas(1)
                        .selector(new V1LabelSelector().matchLabels(labels))
                        .template(new V1PodTemplateSpec()
                                .metadata(new V1ObjectMeta().labels(labels))
                                .spec(pod)));
    }

    /** An external dependent whose id is the state: {@code External} records it on the object. */
    @Test
    void whatIsOutsideIsKnownByItsIdAlsoAfterARestart() throws ApiException {
        OutsideSystem<String> outside = new OutsideSystem<>();
        External<String, String> things = External.byId("thing", outside.byId());
        ControllerDescriptor keeper = controller(
                "keeper",
                d -> d.external(things),
                (greeting, r) -> Outcome.of(
                        r.external(things).ensure("main", greeting.spec().text())));
        try (RunningManager host = RunningManager.start(server, keeper)) {
            host.settles();
            assertThat(outside.ids()).containsExactly(Map.entry("id-1", ""));
        }
        try (RunningManager host = RunningManager.start(server, keeper)) {
            change("other");
            host.settles();
            assertThat(outside.ids()).containsExactly(Map.entry("id-1", "other"));

            greetings.delete(NAMESPACE, NAME);
            host.settles();
            assertThat(outside.ids()).isEmpty();
            assertThat(greetings.get(NAMESPACE, NAME)).isNull();
        }
    }

    /** External dependents in bulk, of two types: a loop, and {@code removeOthers}. */
    @Test
    void asManyAreOutsideAsAreWanted() throws ApiException {
        OutsideSystem<String> outside = new OutsideSystem<>();
        External<String, String> named = External.byName("named", String.class, outside.byName());
        External<String, String> given = External.byId("given", outside.byId());
        ControllerDescriptor bulk = controller("bulk", d -> d.external(named).external(given), (greeting, r) -> {
            for (String word : words(greeting.spec().text())) {
                r.external(named).ensure(word, "named");
                r.external(given).ensure(word, word);
            }
            r.external(named).removeOthers();
            return Outcome.of(r.external(given).removeOthers());
        });
        try (RunningManager host = RunningManager.start(server, bulk)) {
            for (String wanted : List.of("a", "a b c", "c d", "")) {
                change(wanted);
                host.settles();
                assertThat(outside.names()).containsOnlyKeys(words(wanted));
                assertThat(outside.ids().values()).containsExactlyInAnyOrderElementsOf(words(wanted));
            }
        }
    }

    private static Set<String> words(String text) {
        return text.isEmpty() ? Set.of() : new TreeSet<>(List.of(text.split(" ", -1)));
    }

    private void change(String text) throws ApiException {
        greetings.patch(NAMESPACE, NAME, new Patch.Merge("{\"spec\":{\"text\":\"" + text + "\"}}"));
    }

    private V1Condition ready() throws ApiException {
        return Objects.requireNonNull(Conditions.of(greetings.get(NAMESPACE, NAME), "Ready"));
    }
}
