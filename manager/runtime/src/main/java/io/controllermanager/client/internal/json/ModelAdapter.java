package io.controllermanager.client.internal.json;

import com.google.gson.Gson;
import com.google.gson.JsonSyntaxException;
import com.google.gson.TypeAdapter;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes one of client-java's model classes through its constructor, getters and setters, each turned into a
 * method handle when first needed. To the outside it does what Gson's own adapter of a class does, which goes through
 * reflection: most of the time of reading or writing a small object went into that.
 *
 * <p>Safe for use by several threads.
 */
final class ModelAdapter<T> extends TypeAdapter<T> {

    private final Supplier<T> constructor;
    private final ModelProperty[] properties;
    private final Map<String, ModelProperty> byName;

    private ModelAdapter(Supplier<T> constructor, List<ModelProperty> properties, Set<String> unread) {
        this.constructor = constructor;
        this.properties = properties.toArray(ModelProperty[]::new);
        this.byName = new HashMap<>();
        properties.forEach(property -> byName.put(property.name(), property));
        byName.keySet().removeAll(unread);
    }

    /**
     * The adapter, null for a class that has not the form of a model: that is left to Gson.
     *
     * @param unread the properties that are skipped when an object is read
     * @param gson has the adapters of the properties
     */
    static <T> @Nullable TypeAdapter<T> of(Class<T> model, Set<String> unread, Gson gson) {
        Supplier<T> constructor = ModelAccess.constructor(model);
        List<ModelProperty> properties = ModelProperty.of(model, gson);
        return constructor == null || properties == null ? null : new ModelAdapter<>(constructor, properties, unread);
    }

    @Override
    public @Nullable T read(JsonReader in) throws IOException {
        if (in.peek() == JsonToken.NULL) {
            in.nextNull();
            return null;
        }
        T model = constructor.get();
        try {
            in.beginObject();
            while (in.hasNext()) {
                ModelProperty property = byName.get(in.nextName());
                if (property == null) {
                    in.skipValue();
                } else {
                    property.read(in, model);
                }
            }
        } catch (IllegalStateException e) {
            throw new JsonSyntaxException(e);
        }
        in.endObject();
        return model;
    }

    @Override
    public void write(JsonWriter out, @Nullable T model) throws IOException {
        if (model == null) {
            out.nullValue();
            return;
        }
        out.beginObject();
        for (ModelProperty property : properties) {
            property.write(out, model);
        }
        out.endObject();
    }
}
