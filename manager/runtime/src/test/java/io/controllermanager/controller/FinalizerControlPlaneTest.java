package io.controllermanager.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.junit.RealControlPlane;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.util.Config;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

@RealControlPlane
class FinalizerControlPlaneTest {

    private static final String NAME = "example.com/database";
    private static final String OTHER = "example.com/other";

    private final ResourceClient<V1ConfigMap> client;
    private final String namespace;
    private final Finalizer<V1ConfigMap> finalizer;
    private final List<String> cleanedUp = new ArrayList<>();

    FinalizerControlPlaneTest(ControlPlane plane) throws IOException {
        this.client =
                new ResourceClient<>(Config.fromConfig(plane.kubeconfigFile().toString()), ResourceTypes.CONFIG_MAP);
        this.namespace = plane.createNamespace("finalizer");
        this.finalizer = Finalizer.named(NAME, client);
    }

    @Test
    void isAddedOnceAndKeepsAnObjectUntilItIsCleanedUp() throws ApiException {
        V1ConfigMap admitted = Objects.requireNonNull(admit(create()));
        assertThat(admitted.getMetadata().getFinalizers()).containsExactly(NAME);
        assertThat(admit(admitted)).isSameAs(admitted);
        assertThat(cleanedUp).isEmpty();
        client.delete(namespace, "a");

        assertThat(admit(Objects.requireNonNull(stored()))).isNull();
        assertThat(cleanedUp).containsExactly("a");
        assertThat(stored()).isNull();
        // The cache may still have it.
        assertThat(admit(admitted)).isNotNull();
    }

    @Test
    void isAddedToTheNewestStateAndTakesNothingAway() throws ApiException {
        V1ConfigMap stale = create();
        V1ConfigMap newer = client.copy(stale).data(Map.of("value", "2"));
        newer.getMetadata().setFinalizers(List.of(OTHER));
        client.update(newer);

        V1ConfigMap admitted = Objects.requireNonNull(admit(stale));
        assertThat(admitted.getMetadata().getFinalizers()).containsExactly(OTHER, NAME);
        assertThat(admitted.getData()).containsEntry("value", "2");
    }

    @Test
    void isRemovedWithoutThoseOfOthersAndCleanedUpAfterOnceInSpiteOfAConflict() throws ApiException {
        V1ConfigMap object = configMap();
        object.getMetadata().setFinalizers(List.of(NAME, OTHER));
        client.create(object);
        client.delete(namespace, "a");
        V1ConfigMap stale = Objects.requireNonNull(stored());
        client.update(client.copy(stale).data(Map.of("value", "2")));

        assertThat(admit(stale)).isNull();
        assertThat(cleanedUp).containsExactly("a");
        V1ConfigMap left = Objects.requireNonNull(stored());
        assertThat(left.getMetadata().getFinalizers()).containsExactly(OTHER);
        assertThat(admit(left)).isNull();
        assertThat(cleanedUp).containsExactly("a");
    }

    @Test
    void staysWhileTheCleanUpFails() throws ApiException {
        admit(create());
        client.delete(namespace, "a");
        V1ConfigMap deleting = Objects.requireNonNull(stored());

        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> finalizer.admit(deleting, object -> {
                    throw new IllegalStateException("the database does not answer");
                }));
        assertThat(Objects.requireNonNull(stored()).getMetadata().getFinalizers())
                .containsExactly(NAME);
        assertThat(admit(deleting)).isNull();
        assertThat(cleanedUp).containsExactly("a");
        assertThat(stored()).isNull();
    }

    @Test
    void isNotAddedToAnObjectThatIsBeingDeletedThoughTheCacheDoesNotKnowYet() throws ApiException {
        V1ConfigMap object = configMap();
        object.getMetadata().setFinalizers(List.of(OTHER));
        V1ConfigMap stale = client.create(object);
        client.delete(namespace, "a");

        // It never had ours: nothing was made for it, and none can be added any more.
        assertThat(admit(stale)).isNull();
        assertThat(cleanedUp).isEmpty();
        assertThat(Objects.requireNonNull(stored()).getMetadata().getFinalizers())
                .containsExactly(OTHER);
    }

    @Test
    void anotherObjectOfTheSameNameIsLeftAlone() throws ApiException {
        V1ConfigMap old = create();
        client.delete(namespace, "a");
        assertThat(admit(old)).isNull();
        V1ConfigMap next = create();

        assertThat(admit(old)).isNull();
        assertThat(stored()).isEqualTo(next);
        assertThat(cleanedUp).isEmpty();
    }

    @Test
    void aNameWithoutDomainIsRefused() {
        for (String name : List.of("database", "/database", "example.com/", "Example.com/x y")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Finalizer.named(name, client))
                    .withMessageContaining("\"" + name + "\"");
        }
        assertThat(finalizer.name()).isEqualTo(NAME);
    }

    private @Nullable V1ConfigMap admit(V1ConfigMap object) throws ApiException {
        return finalizer.admit(
                object, deleted -> cleanedUp.add(deleted.getMetadata().getName()));
    }

    private V1ConfigMap create() throws ApiException {
        return client.create(configMap());
    }

    private V1ConfigMap configMap() {
        return new V1ConfigMap()
                .metadata(new V1ObjectMeta().namespace(namespace).name("a"));
    }

    private @Nullable V1ConfigMap stored() throws ApiException {
        return client.get(namespace, "a");
    }
}
