package io.controllermanager.client.internal.request;

import com.google.gson.JsonObject;
import io.controllermanager.client.Patch;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import org.jspecify.annotations.Nullable;

/** Merge patches of an object's metadata that hold only for the state that was looked at: another one is a conflict. */
public final class MetadataPatch {

    private MetadataPatch() {}

    /**
     * Changes fields.
     *
     * @param seen the metadata that were looked at
     * @param change the fields of the metadata to change; not changed itself
     */
    public static Patch.Merge of(V1ObjectMeta seen, JsonObject change) {
        JsonObject metadata = change.deepCopy();
        metadata.addProperty("resourceVersion", seen.getResourceVersion());
        metadata.addProperty("uid", seen.getUid());
        JsonObject patch = new JsonObject();
        patch.add("metadata", metadata);
        return new Patch.Merge(patch.toString());
    }

    /** Sets an annotation, or takes it away where the value is null. */
    public static Patch.Merge annotation(V1ObjectMeta seen, String name, @Nullable String value) {
        JsonObject annotations = new JsonObject();
        annotations.addProperty(name, value);
        JsonObject change = new JsonObject();
        change.add("annotations", annotations);
        return of(seen, change);
    }
}
