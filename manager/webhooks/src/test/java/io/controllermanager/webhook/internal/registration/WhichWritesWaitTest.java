package io.controllermanager.webhook.internal.registration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.apiserver.junit.EmbeddedApiServer;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.json.ApiJson;
import io.controllermanager.webhook.Admission;
import io.controllermanager.webhook.ValidatingWebhook;
import io.controllermanager.webhook.Validator;
import io.controllermanager.webhook.Verdict;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesApi;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesObject;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Nobody answers at the registered address: a write that is asked for fails. */
@EmbeddedApiServer
class WhichWritesWaitTest {

    @ValidatingWebhook(V1ConfigMap.class)
    static final class OfConfigMaps implements Validator<V1ConfigMap> {
        @Override
        public Verdict update(V1ConfigMap object, V1ConfigMap before, Admission<V1ConfigMap> admission) {
            return Verdict.allowed();
        }
    }

    private ResourceClient<V1ConfigMap> configMaps;

    @BeforeEach
    void register(ApiServer server) throws ApiException {
        configMaps = new ResourceClient<>(server.client(), ResourceTypes.CONFIG_MAP);
        for (KubernetesObject configuration : new Registration("hooks", "shop", URI.create("https://127.0.0.1:1"))
                .configurations(Webhooks.of(List.of(OfConfigMaps.class)))) {
            JsonObject tree = ApiJson.tree(configuration).getAsJsonObject();
            DynamicKubernetesApi api = new DynamicKubernetesApi(
                    "admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations", server.client());
            if (!api.get("hooks").isSuccess()) {
                api.create(new DynamicKubernetesObject(tree)).throwsApiException();
            }
        }
    }

    private void create(String namespace, String name) throws ApiException {
        configMaps.create(new V1ConfigMap()
                .metadata(new V1ObjectMeta().namespace(namespace).name(name).addFinalizersItem("example.com/a"))
                .data(Map.of("a", "b")));
    }

    @Test
    void noneThatChangesFinalizersAlone(ApiServer server) throws ApiException {
        String namespace = server.createNamespace("test");
        create(namespace, "one");

        patch(namespace, "{'metadata': {'finalizers': ['example.com/a', 'example.com/b']}}");
        patch(namespace, "{'metadata': {'finalizers': ['example.com/a']}}");
        patch(namespace, "{'metadata': {'labels': null}}");
        for (String change : List.of(
                "{'data': {'a': 'c'}}",
                "{'data': null}",
                "{'immutable': true}",
                "{'metadata': {'labels': {'a': 'b'}}}",
                "{'metadata': {'annotations': {'a': 'b'}, 'finalizers': null}}")) {
            assertThatThrownBy(() -> patch(namespace, change))
                    .as(change)
                    .hasMessageContaining("failed calling webhook \"validate.configmaps.core\"");
        }
        configMaps.delete(namespace, "one");
        patch(namespace, "{'metadata': {'labels': {'a': 'b'}}}");
        assertThatThrownBy(() -> patch(namespace, "{'data': {'a': 'c'}}")).hasMessageContaining("failed calling");
        patch(namespace, "{'metadata': {'finalizers': null}}");
        assertThat(configMaps.get(namespace, "one")).isNull();
    }

    /** Of a type that is not the application's own. */
    @Test
    void noneInNamespacesWithoutWhichItCouldNotBeMended(ApiServer server) throws ApiException {
        for (String namespace : List.of("kube-system", "shop")) {
            DynamicKubernetesApi namespaces = new DynamicKubernetesApi("", "v1", "namespaces", server.client());
            if (!namespaces.get(namespace).isSuccess()) {
                namespaces
                        .create(new DynamicKubernetesObject(JsonParser.parseString(
                                        "{'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': '%s'}}"
                                                .formatted(namespace))
                                .getAsJsonObject()))
                        .throwsApiException();
            }
            create(namespace, "one");

            patch(namespace, "{'data': {'a': 'c'}}");

            assertThat(configMaps.get(namespace, "one").getData()).containsEntry("a", "c");
        }
    }

    private void patch(String namespace, String patch) throws ApiException {
        configMaps.patch(namespace, "one", new Patch.Merge(patch.replace('\'', '"')));
    }
}
