package io.controllermanager.informer.internal.reflector;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SharedStringsTest {

    private final SharedStrings strings = new SharedStrings();

    /** As a decoder makes it: all strings new. */
    private static V1ObjectMeta metadata() {
        return new V1ObjectMeta()
                .namespace(fresh("production"))
                .name(fresh("a"))
                .labels(new HashMap<>(Map.of(fresh("app.kubernetes.io/name"), fresh("web"))))
                .annotations(new HashMap<>(Map.of(fresh("example.com/note"), fresh("each its own"))))
                .finalizers(new ArrayList<>(List.of(fresh("example.com/keep"))))
                .ownerReferences(new ArrayList<>(List.of(new V1OwnerReference()
                        .apiVersion(fresh("apps/v1"))
                        .kind(fresh("ReplicaSet"))
                        .name(fresh("web-1"))
                        .uid(fresh("u1")))));
    }

    private static String fresh(String text) {
        return new String(text.toCharArray());
    }

    private static String key(Map<String, String> map) {
        return map.keySet().iterator().next();
    }

    @Test
    void leavesOneOfEqualStringsInTheMetadataOfMany() {
        V1ObjectMeta one = metadata();
        V1ObjectMeta other = metadata();
        strings.share(one);
        strings.share(other);

        assertThat(other).isEqualTo(metadata());
        assertThat(other.getNamespace()).isSameAs(one.getNamespace());
        assertThat(key(other.getLabels())).isSameAs(key(one.getLabels()));
        assertThat(other.getLabels().get("app.kubernetes.io/name"))
                .isSameAs(one.getLabels().get("app.kubernetes.io/name"));
        assertThat(key(other.getAnnotations())).isSameAs(key(one.getAnnotations()));
        assertThat(other.getFinalizers().get(0)).isSameAs(one.getFinalizers().get(0));
        V1OwnerReference owner = other.getOwnerReferences().get(0);
        assertThat(owner.getKind()).isSameAs(one.getOwnerReferences().get(0).getKind());
        assertThat(owner.getUid()).isSameAs(one.getOwnerReferences().get(0).getUid());
        // A name is an object's own.
        assertThat(other.getName()).isNotSameAs(one.getName());
    }

    @Test
    void sharesTheKeysOfMapsThatOthersHaveMade() {
        V1ObjectMeta one = new V1ObjectMeta().labels(new LinkedHashMap<>(Map.of(fresh("app"), fresh("web"))));
        V1ObjectMeta other = new V1ObjectMeta().labels(new LinkedHashMap<>(Map.of(fresh("app"), fresh("web"))));
        strings.share(one);
        strings.share(other);

        assertThat(key(other.getLabels())).isSameAs(key(one.getLabels()));
        assertThat(other).isEqualTo(one);
    }

    @Test
    void takesCollectionsThatCannotBeChanged() {
        V1ObjectMeta fixed = new V1ObjectMeta()
                .labels(Map.of("a", "b"))
                .annotations(Map.of("a", "b"))
                .finalizers(List.of("example.com/keep"))
                .ownerReferences(List.of(new V1OwnerReference().kind("ReplicaSet")));
        strings.share(fixed);
        assertThat(fixed.getFinalizers()).containsExactly("example.com/keep");
    }

    @Test
    void takesMetadataWithoutAnyOfIt() {
        V1ObjectMeta bare = new V1ObjectMeta().name("a");
        strings.share(bare);
        assertThat(bare).isEqualTo(new V1ObjectMeta().name("a"));
    }

    @Test
    void givesEqualStringsHoweverManyThereAre() {
        for (int i = 0; i < 50_000; i++) {
            assertThat(strings.share("value-" + i)).isEqualTo("value-" + i);
        }
        assertThat(strings.share("x".repeat(1_000))).hasSize(1_000);
    }
}
