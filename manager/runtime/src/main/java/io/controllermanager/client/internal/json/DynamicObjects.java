package io.controllermanager.client.internal.json;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import com.google.gson.TypeAdapter;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonWriter;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesObject;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Reads and writes objects of types that have no class, with the nulls in them: here a null may be meant. */
final class DynamicObjects extends TypeAdapter<DynamicKubernetesObject> {

    private static final TypeAdapter<JsonObject> TREE = new Gson().getAdapter(JsonObject.class);

    private final boolean dropManagedFields;

    DynamicObjects(boolean dropManagedFields) {
        this.dropManagedFields = dropManagedFields;
    }

    @Override
    public DynamicKubernetesObject read(JsonReader in) throws IOException {
        JsonObject tree = TREE.read(in);
        if (dropManagedFields && tree.get("metadata") instanceof JsonObject metadata) {
            metadata.remove("managedFields");
        }
        return new Stored(tree);
    }

    @Override
    public void write(JsonWriter out, DynamicKubernetesObject object) throws IOException {
        boolean nulls = out.getSerializeNulls();
        out.setSerializeNulls(true);
        TREE.write(out, object.getRaw());
        out.setSerializeNulls(nulls);
    }

    /** Decodes its metadata once; client-java's class does so each time it is asked. */
    private static final class Stored extends DynamicKubernetesObject {

        private volatile @Nullable V1ObjectMeta metadata;

        Stored(JsonObject tree) {
            super(tree);
        }

        @Override
        public V1ObjectMeta getMetadata() {
            V1ObjectMeta decoded = metadata;
            if (decoded == null) {
                decoded = ApiJson.adapter(V1ObjectMeta.class).fromJsonTree(getRaw().get("metadata"));
                metadata = decoded;
            }
            return decoded;
        }

        @Override
        public void setMetadata(V1ObjectMeta changed) {
            super.setMetadata(changed);
            metadata = null;
        }

        /** As client-java's, whatever the classes of the two. */
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof DynamicKubernetesObject object && getRaw().equals(object.getRaw());
        }

        @Override
        public int hashCode() {
            return super.hashCode();
        }
    }
}
