package io.controllermanager.reconciler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.google.gson.JsonObject;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.informer.Selection;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodStatus;
import io.kubernetes.client.openapi.models.V1Secret;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DesiredStateTest {

    private static final String ANNOTATION = "applied.controller-manager/test";
    private static final Map<String, String> LABELS = Map.of("made-by", "test");

    private final V1ConfigMap owner = new V1ConfigMap()
            .metadata(new V1ObjectMeta().namespace("ns").name("owner").uid("1"));

    private final ChildLink link = new ChildLink("test", ResourceTypes.CONFIG_MAP, LABELS);

    private static <C extends KubernetesObject> ChildRules<C> rules(ResourceType<C> type) {
        return ChildRules.of(Selection.of(type));
    }

    private DesiredState of(V1ConfigMap child) {
        return DesiredState.of(child, rules(ResourceTypes.CONFIG_MAP), owner, link);
    }

    private static V1ConfigMap child() {
        return new V1ConfigMap().metadata(new V1ObjectMeta().name("child"));
    }

    @Test
    void fillsInWhatAnAuthorLeavesOut() {
        DesiredState state = of(child());

        assertThat(state.namespace()).isEqualTo("ns");
        assertThat(state.json())
                .hasToString("{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{"
                        + "\"labels\":{\"made-by\":\"test\"},\"name\":\"child\",\"namespace\":\"ns\",\"ownerReferences\":[{\"apiVersion\":\"v1\","
                        + "\"blockOwnerDeletion\":true,\"controller\":true,\"kind\":\"ConfigMap\",\"name\":\"owner\","
                        + "\"uid\":\"1\"}],\"annotations\":{\"" + ANNOTATION + "\":\"" + state.hash()
                        + " ConfigMap/ns/owner ns/child\"}}}");
    }

    @Test
    void namesAChildAfterItsOwnerUnlessItHasAName() {
        DesiredState state = of(new V1ConfigMap());

        assertThat(state.name()).isEqualTo("owner");
        assertThat(state.json().getAsJsonObject("metadata").get("name").getAsString())
                .isEqualTo("owner");
        assertThat(of(new V1ConfigMap().metadata(new V1ObjectMeta())).name()).isEqualTo("owner");
    }

    /** As a copy of a cached child brings it: its hash would change with each copy. */
    @Test
    void takesNoAnnotationOfItsOwnFromACopy() {
        V1ConfigMap copy = child();
        copy.getMetadata().putAnnotationsItem(ANNOTATION, "of another");

        assertThat(of(copy)).isEqualTo(of(child()));
        assertThat(DesiredState.created(copy, rules(ResourceTypes.CONFIG_MAP).adopting(null), owner, link)
                        .json()
                        .getAsJsonObject("metadata")
                        .has("annotations"))
                .isFalse();
    }

    @Test
    void tiesAChildThatItsOwnerMayNotTakeWithItByALabelAndTheAnnotation() {
        ChildRules<V1ConfigMap> retained = rules(ResourceTypes.CONFIG_MAP).with(ChildRules.End.RETAINED);

        DesiredState state = DesiredState.of(child(), retained, owner, link);

        JsonObject metadata = state.json().getAsJsonObject("metadata");
        assertThat(metadata.has("ownerReferences")).isFalse();
        assertThat(metadata.getAsJsonObject("labels").keySet())
                .containsExactlyInAnyOrder("made-by", "owner.controller-manager/test");
        assertThat(metadata.getAsJsonObject("annotations").get(ANNOTATION).getAsString())
                .isEqualTo(state.hash() + " ConfigMap/ns/owner ns/child 1");
    }

    @Test
    void mayLiveInTheNamespacesThatTheDescriptionNames() {
        V1ConfigMap child = child();
        child.getMetadata().setNamespace("other");

        ChildRules<V1ConfigMap> anywhere = rules(ResourceTypes.CONFIG_MAP).in(Set.of());
        assertThat(DesiredState.of(child, anywhere, owner, link).namespace()).isEqualTo("other");
        ChildRules<V1ConfigMap> there = rules(ResourceTypes.CONFIG_MAP).in(Set.of("other"));
        assertThat(DesiredState.of(child, there, owner, link).namespace()).isEqualTo("other");
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        DesiredState.of(child, rules(ResourceTypes.CONFIG_MAP).in(Set.of("third")), owner, link))
                .withMessage(
                        "metadata.namespace of ConfigMap child must be its owner's, ns, or one of [third], but is other");
    }

    @Test
    void labelsAChildBesidesItsOwnLabels() {
        V1ConfigMap child = child();
        child.getMetadata().putLabelsItem("app", "a");

        assertThat(of(child).json().getAsJsonObject("metadata").get("labels"))
                .hasToString("{\"app\":\"a\",\"made-by\":\"test\"}");
    }

    @Test
    void hashesWhatIsWantedWhateverTheOrderOfMaps() {
        Map<String, String> one = new LinkedHashMap<>();
        one.put("a", "1");
        one.put("b", "2");
        Map<String, String> other = new LinkedHashMap<>();
        other.put("b", "2");
        other.put("a", "1");

        assertThat(of(child().data(one))).isEqualTo(of(child().data(other)));
        assertThat(of(child().data(Map.of("a", "1"))).hash())
                .isNotEqualTo(of(child()).hash());
    }

    @Test
    void leavesOutWhatTheApiServerSets() {
        V1Pod read = new V1Pod()
                .metadata(new V1ObjectMeta()
                        .name("pod")
                        .resourceVersion("5")
                        .uid("7")
                        .generation(3L))
                .status(new V1PodStatus().phase("Running"));

        assertThat(DesiredState.of(read, rules(ResourceTypes.POD), owner, link)
                        .json()
                        .toString())
                .doesNotContain("resourceVersion", "\"7\"", "generation", "status");
    }

    @Test
    void ownsOnceAndKeepsFurtherOwners() {
        V1ConfigMap child = child();
        child.getMetadata().ownerReferences(List.of(OwnerLink.to(owner, ResourceTypes.CONFIG_MAP)));

        assertThat(of(child)).isEqualTo(of(child()));
    }

    @Test
    void writesASecretsTextAsTheApiServerStoresIt() {
        V1Secret secret =
                new V1Secret().metadata(new V1ObjectMeta().name("child")).stringData(Map.of("a", "b"));

        assertThat(DesiredState.of(secret, rules(ResourceTypes.SECRET), owner, link)
                        .json()
                        .toString())
                .contains("\"data\":{\"a\":\"Yg==\"}")
                .doesNotContain("stringData");
    }

    @Test
    void refusesWhatCannotBe() {
        V1ConfigMap elsewhere = child();
        elsewhere.getMetadata().setNamespace("other");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> of(elsewhere))
                .withMessage(
                        "metadata.namespace of ConfigMap child must be its owner's, ns, but is other: say owns(...).in(...)"
                                + " in the description to have it elsewhere");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> of(new V1ConfigMap().metadata(new V1ObjectMeta().generateName("child-"))))
                .withMessage("metadata.generateName of a ConfigMap cannot be applied: give metadata.name");
        V1ConfigMap otherwiseLabelled = child();
        otherwiseLabelled.getMetadata().putLabelsItem("made-by", "hand");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> of(otherwiseLabelled))
                .withMessage("metadata.labels[made-by] of ConfigMap child must be test, which all children have, but is"
                        + " hand");
    }
}
