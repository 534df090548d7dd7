package io.controllermanager.app.rights;

import com.google.gson.JsonObject;
import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesApi;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesObject;
import org.jspecify.annotations.Nullable;

/** The objects of a custom kind in the namespace that is watched, made and changed as the cluster's admin. */
final class CustomObjects {

    private final String apiVersion;
    private final String kind;
    private final String namespace;
    private final DynamicKubernetesApi api;

    CustomObjects(Stage stage, String group, String version, String kind, String plural) {
        this.apiVersion = group + "/" + version;
        this.kind = kind;
        this.namespace = stage.watched();
        this.api = new DynamicKubernetesApi(group, version, plural, stage.admin());
    }

    void create(String name, JsonObject spec) throws ApiException {
        JsonObject content = new JsonObject();
        content.addProperty("apiVersion", apiVersion);
        content.addProperty("kind", kind);
        content.add("spec", spec);
        DynamicKubernetesObject object = new DynamicKubernetesObject(content);
        object.setMetadata(new V1ObjectMeta().namespace(namespace).name(name));
        api.create(object).throwsApiException();
    }

    /** Sets what the given part of a spec has; the rest stays. */
    void change(String name, JsonObject part) throws ApiException {
        JsonObject patch = new JsonObject();
        patch.add("spec", part);
        api.patch(namespace, name, V1Patch.PATCH_FORMAT_JSON_MERGE_PATCH, new V1Patch(patch.toString()))
                .throwsApiException();
    }

    void delete(String name) throws ApiException {
        api.delete(namespace, name).throwsApiException();
    }

    /** Null if there is none of this name. */
    @Nullable
    JsonObject get(String name) {
        DynamicKubernetesObject object = api.get(namespace, name).getObject();
        return object == null ? null : object.getRaw();
    }
}
