package io.controllermanager.crd;

import static org.awaitility.Awaitility.await;

import com.google.gson.Gson;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.util.generic.KubernetesApiResponse;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesApi;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesObject;
import java.net.HttpURLConnection;
import java.util.List;
import java.util.Map;

/** Gives CRDs to an API server. */
final class Crds {

    private Crds() {}

    /** Creates it unless it is there, and waits until its objects are served. */
    static void install(ApiClient client, CustomResourceDefinition crd) throws ApiException {
        KubernetesApiResponse<DynamicKubernetesObject> answer = new DynamicKubernetesApi(
                        "apiextensions.k8s.io", "v1", "customresourcedefinitions", client)
                .create(new DynamicKubernetesObject(
                        new Gson().toJsonTree(crd.content()).getAsJsonObject()));
        if (answer.getHttpStatusCode() != HttpURLConnection.HTTP_CONFLICT) {
            answer.throwsApiException();
        }
        String[] parts = crd.name().split("\\.", 2);
        Map<?, ?> spec = (Map<?, ?>) crd.content().get("spec");
        Map<?, ?> version = (Map<?, ?>) ((List<?>) spec.get("versions")).get(0);
        DynamicKubernetesApi objects =
                new DynamicKubernetesApi(parts[1], (String) version.get("name"), parts[0], client);
        await(crd.name() + " is served").until(() -> objects.list().isSuccess());
    }
}
