package io.controllermanager.informer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.kubernetes.client.informer.cache.Lister;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class IndexedStoreTest {

    private final IndexedStore<V1ConfigMap> store = new IndexedStore<>(new Object());

    private static V1ConfigMap object(@Nullable String namespace, String name, String colour) {
        return new V1ConfigMap()
                .metadata(new V1ObjectMeta().namespace(namespace).name(name).labels(Map.of("colour", colour)));
    }

    private void put(V1ConfigMap object) {
        store.put(IndexedStore.key(object), object);
    }

    private void indexByColour() {
        store.addIndexers(Map.of(
                "colour", object -> List.of(object.getMetadata().getLabels().get("colour"))));
    }

    @Test
    void findsObjectsByKeyAndNamespace() {
        put(object("n", "a", "red"));
        put(object("m", "a", "red"));
        put(object(null, "cluster", "red"));

        assertThat(store.listKeys()).containsExactlyInAnyOrder("n/a", "m/a", "cluster");
        assertThat(new Lister<>(store, "n").list()).hasSize(1);
        assertThat(new Lister<>(store).namespace("m").get("a").getMetadata().getNamespace())
                .isEqualTo("m");
        assertThat(new Lister<>(store).get("cluster")).isNotNull();
        assertThat(store.byIndex("namespace", "nowhere")).isEmpty();
    }

    @Test
    void movesAnObjectWithinAnIndex() {
        indexByColour();
        put(object("n", "a", "red"));
        put(object("n", "a", "blue"));

        assertThat(store.byIndex("colour", "red")).isEmpty();
        assertThat(store.indexKeys("colour", "blue")).containsExactly("n/a");

        store.remove("n/a");
        assertThat(store.byIndex("colour", "blue")).isEmpty();
        assertThat(store.list()).isEmpty();
    }

    @Test
    void keepsTheNewObjectWhereTheIndexedValueStays() {
        indexByColour();
        put(object("n", "a", "red"));
        V1ConfigMap newer = object("n", "a", "red").data(Map.of("k", "v"));
        put(newer);

        assertThat(store.byIndex("colour", "red")).containsExactly(newer);
        assertThat(store.byIndex("namespace", "n")).containsExactly(newer);
    }

    @Test
    void indexesWhatWasThereBeforeTheIndex() {
        put(object("n", "a", "red"));
        put(object("n", "b", "red"));
        indexByColour();

        assertThat(store.byIndex("colour", "red")).hasSize(2);
        assertThat(store.index("colour", object("x", "y", "red"))).hasSize(2);
        assertThat(store.getIndexers()).containsOnlyKeys("namespace", "colour");
    }

    @Test
    void survivesAnIndexFunctionThatFails() {
        store.addIndexers(Map.of("broken", object -> {
            throw new IllegalStateException("an index function's own mistake");
        }));
        put(object("n", "a", "red"));

        assertThat(store.getByKey("n/a")).isNotNull();
    }

    @Test
    void refusesAnIndexThatDoesNotExist() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> store.byIndex("colour", "red"))
                .withMessageContaining("colour");
    }
}
