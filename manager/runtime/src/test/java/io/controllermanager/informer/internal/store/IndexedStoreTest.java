package io.controllermanager.informer.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.controllermanager.informer.Indexers;
import io.controllermanager.informer.StoreSnapshot;
import io.controllermanager.testing.support.Waiting;
import io.kubernetes.client.informer.cache.Lister;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.util.labels.EqualityMatcher;
import io.kubernetes.client.util.labels.LabelSelector;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class IndexedStoreTest {

    private final IndexedStore<V1ConfigMap> store = new IndexedStore<>(new Door(), null);

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
    void showsNothingOfAChangeThatFailsInItsMidst() {
        put(object("n", "a", "red"));

        assertThatIllegalArgumentException()
                .isThrownBy(() -> store.atOnce(() -> {
                    put(object("n", "b", "red"));
                    throw new IllegalArgumentException("in its midst");
                }));

        assertThat(store.listKeys()).containsExactly("n/a");
        put(object("n", "c", "red"));
        assertThat(store.listKeys()).containsExactlyInAnyOrder("n/a", "n/c");
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

    @Test
    void listsByLabelSelector() {
        put(object("n", "a", "red"));
        put(object("n", "b", "blue"));
        put(object("m", "c", "red"));
        put(new V1ConfigMap().metadata(new V1ObjectMeta().namespace("n").name("colourless")));
        LabelSelector red = LabelSelector.and(EqualityMatcher.equal("colour", "red"));

        assertThat(store.snapshot().list(null, red)).hasSize(2);
        assertThat(store.snapshot().list("n", red)).hasSize(1);
        assertThat(store.snapshot().list("nowhere", red)).isEmpty();
    }

    @Test
    void findsOwnedLabelledAndFieldedObjects() {
        store.addIndexers(Map.of(
                "owner", Indexers.ownerUids(),
                "colour", Indexers.label("colour"),
                "immutable", Indexers.field(object -> object.getImmutable() == null ? null : "yes")));
        V1ConfigMap owned = object("n", "a", "red").immutable(true);
        owned.getMetadata()
                .addOwnerReferencesItem(new V1OwnerReference().uid("u1"))
                .addOwnerReferencesItem(new V1OwnerReference().uid("u2"));
        put(owned);
        put(new V1ConfigMap().metadata(new V1ObjectMeta().namespace("n").name("plain")));

        assertThat(store.byIndex("owner", "u1")).containsExactly(owned);
        assertThat(store.byIndex("owner", "u2")).containsExactly(owned);
        assertThat(store.byIndex("colour", "red")).containsExactly(owned);
        assertThat(store.byIndex("immutable", "yes")).containsExactly(owned);
    }

    @Test
    void keepsASnapshotAsItWas() {
        indexByColour();
        V1ConfigMap first = object("n", "a", "red");
        put(first);
        StoreSnapshot<V1ConfigMap> snapshot = store.snapshot();

        put(object("n", "a", "blue"));
        put(object("m", "b", "red"));

        assertThat(snapshot.get("n", "a")).isSameAs(first);
        assertThat(snapshot.byIndex("colour", "red")).containsExactly(first);
        assertThat(snapshot.byIndex("colour", "blue")).isEmpty();
        assertThat(snapshot.size()).isEqualTo(1);
        assertThat(store.snapshot().list()).hasSize(2);
    }

    @Test
    void showsAListAsAWhole() {
        put(object("n", "old", "red"));
        store.atOnce(() -> {
            store.remove("n/old");
            put(object("n", "new", "red"));
            assertThat(store.listKeys()).containsExactly("n/old");
            assertThat(store.current("n/new")).isNotNull();
            assertThat(store.currentKeys("n")).containsExactly("n/new");
        });
        assertThat(store.listKeys()).containsExactly("n/new");
        assertThat(store.indexKeys("namespace", "n")).containsExactly("n/new");
    }

    /** Two objects change colours with each other, again and again: no reader may see them alike. */
    @Test
    void showsEveryReaderOneMomentWhileItIsWritten() throws Exception {
        indexByColour();
        AtomicBoolean over = new AtomicBoolean();
        put(object("n", "a", "red"));
        put(object("n", "b", "blue"));
        CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
            try {
                for (int i = 0; i < 20_000; i++) {
                    String one = i % 2 == 0 ? "red" : "blue";
                    String other = i % 2 == 0 ? "blue" : "red";
                    store.atOnce(() -> {
                        put(object("n", "a", other));
                        put(object("n", "b", one));
                    });
                }
            } finally {
                over.set(true);
            }
        });
        while (!over.get()) {
            StoreSnapshot<V1ConfigMap> snapshot = store.snapshot();
            assertThat(snapshot.byIndex("colour", "red")).hasSize(1);
            assertThat(snapshot.byIndex("colour", "blue"))
                    .hasSize(1)
                    .doesNotContainAnyElementsOf(snapshot.byIndex("colour", "red"));
            assertThat(store.list()).extracting(this::colour).containsExactlyInAnyOrder("red", "blue");
        }
        Waiting.on(writer);
    }

    private @Nullable String colour(V1ConfigMap object) {
        return object.getMetadata().getLabels().get("colour");
    }
}
