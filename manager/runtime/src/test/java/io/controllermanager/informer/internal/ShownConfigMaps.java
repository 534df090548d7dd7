package io.controllermanager.informer.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.util.Map;
import java.util.TreeMap;
import org.awaitility.Awaitility;

/** What an informer of ConfigMaps shows: the field {@code value} of each by its name. */
final class ShownConfigMaps {

    private ShownConfigMaps() {}

    static void await(HostInformer<V1ConfigMap> informer, Map<String, String> expected) {
        Awaitility.await().untilAsserted(() -> {
            Map<String, String> shown = new TreeMap<>();
            informer.getIndexer()
                    .list()
                    .forEach(object -> shown.put(
                            object.getMetadata().getName(), object.getData().get("value")));
            assertThat(shown).isEqualTo(expected);
        });
    }
}
