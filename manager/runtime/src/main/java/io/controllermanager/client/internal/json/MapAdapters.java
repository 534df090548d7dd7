package io.controllermanager.client.internal.json;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonSyntaxException;
import com.google.gson.TypeAdapter;
import com.google.gson.TypeAdapterFactory;
import com.google.gson.reflect.TypeToken;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads maps without Gson's own adapter, which knows the insides of Gson's own readers and no others. A map from strings,
 * as all of Kubernetes' are, is read into one of half the size that Gson's has; any other by way of a tree. Gson's adapter
 * writes them all.
 */
final class MapAdapters implements TypeAdapterFactory {

    @Override
    @SuppressWarnings("unchecked") // a Map of the type asked for
    public <T> @Nullable TypeAdapter<T> create(Gson gson, TypeToken<T> type) {
        if (!Map.class.isAssignableFrom(type.getRawType())) {
            return null;
        }
        TypeAdapter<T> delegate = gson.getDelegateAdapter(this, type);
        if (type.getRawType() == Map.class
                && type.getType() instanceof ParameterizedType map
                && map.getActualTypeArguments()[0] == String.class) {
            Type value = map.getActualTypeArguments()[1];
            return (TypeAdapter<T>) ofStrings((TypeAdapter<Map<String, Object>>) delegate, (TypeAdapter<Object>)
                    gson.getAdapter(TypeToken.get(value)));
        }
        return byTree(delegate, gson.getAdapter(JsonElement.class));
    }

    private static <V> TypeAdapter<Map<String, V>> ofStrings(
            TypeAdapter<Map<String, V>> delegate, TypeAdapter<V> values) {
        return new TypeAdapter<>() {
            @Override
            public @Nullable Map<String, V> read(JsonReader in) throws IOException {
                if (in.peek() == JsonToken.NULL) {
                    in.nextNull();
                    return null;
                }
                // Room for three at first: most have few.
                Map<String, V> map = new LinkedHashMap<>(4);
                in.beginObject();
                while (in.hasNext()) {
                    String name = in.nextName();
                    if (map.containsKey(name)) {
                        throw new JsonSyntaxException("duplicate key: " + name);
                    }
                    map.put(name, values.read(in));
                }
                in.endObject();
                return map;
            }

            @Override
            public void write(JsonWriter out, @Nullable Map<String, V> map) throws IOException {
                delegate.write(out, map);
            }
        };
    }

    private static <T> TypeAdapter<T> byTree(TypeAdapter<T> delegate, TypeAdapter<JsonElement> trees) {
        return new TypeAdapter<>() {
            @Override
            public T read(JsonReader in) throws IOException {
                return delegate.fromJsonTree(trees.read(in));
            }

            @Override
            public void write(JsonWriter out, @Nullable T map) throws IOException {
                delegate.write(out, map);
            }
        };
    }
}
