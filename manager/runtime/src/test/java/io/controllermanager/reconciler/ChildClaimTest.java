package io.controllermanager.reconciler;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.client.ResourceTypes;
import io.controllermanager.informer.Selection;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ChildClaimTest {

    private static final String ANNOTATION = "applied.controller-manager/test";

    private final V1ConfigMap owner = new V1ConfigMap()
            .metadata(new V1ObjectMeta().namespace("ns").name("owner").uid("1"));
    private final ChildLink link = new ChildLink("test", ResourceTypes.CONFIG_MAP, Map.of("made-by", "test"));

    /** Without an owner reference unless a uid is given, without annotation unless one is. */
    private static V1ConfigMap child(String controllerUid, String annotation, boolean labelled) {
        V1ObjectMeta metadata = new V1ObjectMeta().namespace("ns").name("child");
        if (controllerUid != null) {
            metadata.ownerReferences(List.of(new V1OwnerReference()
                    .apiVersion("v1")
                    .kind("ConfigMap")
                    .name("owner")
                    .uid(controllerUid)
                    .controller(true)));
        }
        if (annotation != null) {
            metadata.putAnnotationsItem(ANNOTATION, annotation);
        }
        if (labelled) {
            metadata.putLabelsItem("made-by", "test");
        }
        return new V1ConfigMap().metadata(metadata);
    }

    @ParameterizedTest(name = "{0}, controlled by {1}, marked {2}, labelled {3}, adopts {4}: {5}")
    @CsvSource(
            nullValues = "-",
            value = {
                // What the owner controls is its own, whatever else it says.
                "COLLECTED, 1, -,                             false, none, OURS",
                "RETAINED,  1, -,                             false, none, OURS",
                // What another controls is never touched.
                "COLLECTED, 2, h ConfigMap/ns/owner ns/child, true,  all,  TAKEN",
                "TORN_DOWN, 2, h ConfigMap/ns/owner ns/child, true,  all,  TAKEN",
                // What has lost its owner comes back if it names it, and has the labels.
                "COLLECTED, -, h ConfigMap/ns/owner ns/child, true,  none, ADOPTABLE",
                "COLLECTED, -, - ConfigMap/ns/owner ns/child, true,  none, ADOPTABLE",
                "COLLECTED, -, h ConfigMap/ns/owner ns/child, false, none, TAKEN",
                "COLLECTED, -, h ConfigMap/ns/owner ns/child, true,  off,  TAKEN",
                // A copy, a child of another owner, and what a former version of this project has marked.
                "COLLECTED, -, h ConfigMap/ns/owner ns/first, true,  none, TAKEN",
                "COLLECTED, -, h ConfigMap/ns/first ns/child, true,  none, TAKEN",
                "COLLECTED, -, h Secret/ns/owner ns/child,    true,  none, TAKEN",
                "COLLECTED, -, h ConfigMap/no/owner ns/child, true,  none, TAKEN",
                "COLLECTED, -, h,                             true,  none, TAKEN",
                "COLLECTED, -, -,                             true,  none, TAKEN",
                "COLLECTED, -, -,                             false, all,  ADOPTABLE",
                // Children without owner reference are known by the annotation alone.
                "TORN_DOWN, -, h ConfigMap/ns/owner ns/child, false, none, OURS",
                "TORN_DOWN, -, h ConfigMap/ns/owner ns/child, true,  off,  OURS",
                "TORN_DOWN, -, h ConfigMap/ns/first ns/child, true,  none, TAKEN",
                "TORN_DOWN, -, -,                             false, all,  ADOPTABLE",
                // One that outlives its owner is not the next one's.
                "RETAINED,  -, h ConfigMap/ns/owner ns/child 1, true, none, OURS",
                "RETAINED,  -, h ConfigMap/ns/owner ns/child 0, true, none, RETAINED",
                "RETAINED,  -, h ConfigMap/ns/owner ns/child,   true, none, RETAINED",
                "RETAINED,  -, h ConfigMap/ns/owner ns/child 0, true, off,  RETAINED",
                "RETAINED,  -, h ConfigMap/ns/owner ns/child 0, true, all,  ADOPTABLE",
            })
    void follows(
            ChildRules.End end,
            String controllerUid,
            String annotation,
            boolean labelled,
            String adopts,
            ChildClaim claim) {
        ChildRules<V1ConfigMap> rules =
                ChildRules.of(Selection.of(ResourceTypes.CONFIG_MAP)).with(end);
        ChildRules<V1ConfigMap> whole = switch (adopts) {
            case "all" -> rules.adopting(object -> true);
            case "off" -> rules.adopting(null);
            default -> rules;
        };

        assertThat(ChildClaim.of(whole, link, owner, child(controllerUid, annotation, labelled)))
                .isEqualTo(claim);
    }
}
