package io.controllermanager.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class EndStateTest {

    private static EndState after(Consumer<V1ConfigMap> difference) throws ApiException {
        try (ApiServer server = ApiServer.builder().seed(difference.hashCode()).start()) {
            ResourceClient<V1ConfigMap> maps = new ResourceClient<>(server.client(), ResourceTypes.CONFIG_MAP);
            V1ConfigMap owner = maps.create(map("owner"));
            V1ConfigMap map = map("child").putDataItem("since", "2026-01-01T00:00:00Z");
            map.getMetadata()
                    .addOwnerReferencesItem(new V1OwnerReference()
                            .apiVersion("v1")
                            .kind("ConfigMap")
                            .name("owner")
                            .uid(owner.getMetadata().getUid()));
            difference.accept(map);
            maps.create(map);
            return EndState.of(server, object -> {}, "");
        }
    }

    private static V1ConfigMap map(String name) {
        return new V1ConfigMap()
                .metadata(new V1ObjectMeta().namespace("default").name(name));
    }

    @Test
    void isAlikeWhereOnlyIdentitiesAndTimesDiffer() throws ApiException {
        assertThat(after(map -> {})
                        .differences(after(map -> map.putDataItem("since", "2027-02-03T04:05:06.789+01:00"))))
                .isEmpty();
    }

    /** The hash of what was applied has the owner's uid in it. */
    @Test
    void isAlikeWhereOnlyTheHashesOfWhatWasAppliedDiffer() throws ApiException {
        EndState one = after(map -> map.getMetadata().putAnnotationsItem("applied.controller-manager/greeting", "1"));
        assertThat(one.differences(
                        after(map -> map.getMetadata().putAnnotationsItem("applied.controller-manager/greeting", "2"))))
                .isEmpty();
        assertThat(one.differences(after(map -> {})))
                .containsExactly("ConfigMap default/child: metadata.annotations[applied.controller-manager/greeting]: "
                        + "\"some hash\" → nothing");
    }

    @Test
    void tellsWhatDiffers() throws ApiException {
        assertThat(after(map -> {}).differences(after(map -> map.putDataItem("text", "Hello"))))
                .containsExactly("ConfigMap default/child: data.text: nothing → \"Hello\"");
        assertThat(after(map -> {}).differences(after(map -> map.getMetadata().name("other"))))
                .containsExactly(
                        "ConfigMap default/child is missing", "ConfigMap default/other is there, and should not be");
    }

    @Test
    void isNormalisedByTheScenario() throws ApiException {
        try (ApiServer server = ApiServer.start()) {
            EndState before = EndState.of(server, object -> {}, "");
            new ResourceClient<>(server.client(), ResourceTypes.CONFIG_MAP).create(map("random"));
            EndState after = EndState.of(
                    server, object -> object.withObjectProperty("metadata").put("name", "made up"), "");
            assertThat(before.differences(after)).contains("ConfigMap default/random is there, and should not be");
        }
    }
}
