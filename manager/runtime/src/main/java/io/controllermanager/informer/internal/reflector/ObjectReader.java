package io.controllermanager.informer.internal.reflector;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonPrimitive;
import com.google.gson.TypeAdapter;
import com.google.gson.stream.JsonReader;
import io.controllermanager.client.internal.json.BytesJsonReader;
import io.controllermanager.client.internal.request.FailureMessage;
import io.kubernetes.client.common.KubernetesObject;
import java.io.EOFException;
import java.io.IOException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decodes objects of one class, in a quick way that fails where one does not fit, and in a slow way that leaves it out.
 *
 * @param <T> the object's class
 * @param adapter decodes
 * @param transform what is done to each object once decoded
 * @param target where they come from, for messages
 */
public record ObjectReader<T>(TypeAdapter<T> adapter, UnaryOperator<T> transform, String target) {

    private static final Logger log = LoggerFactory.getLogger(ObjectReader.class);

    /**
     * Reads an object.
     *
     * @throws JsonParseException if it does not fit its class, whatever the adapters of its fields throw then
     */
    @Nullable
    public T read(JsonReader reader) throws IOException {
        T object;
        try {
            object = named(adapter.read(reader));
        } catch (JsonParseException e) {
            throw e;
        } catch (EOFException e) {
            if (((BytesJsonReader) reader).ended()) {
                throw e;
            }
            // An adapter that reads from trees only.
            throw new JsonParseException(e);
        } catch (RuntimeException e) {
            // Such as a quantity or bytes that are not valid.
            throw new JsonParseException(e.getMessage() == null ? e.toString() : e.getMessage(), e);
        }
        return object == null ? null : transform.apply(object);
    }

    /** Reads an object from a tree; null, and a line in the log, for one that does not fit its class. */
    @Nullable
    public T fit(JsonElement tree) {
        T object;
        try {
            object = named(adapter.fromJsonTree(tree));
        } catch (RuntimeException e) {
            log.atError()
                    .addKeyValue("resource", target)
                    .addKeyValue("namespace", metadata(tree, "namespace"))
                    .addKeyValue("name", metadata(tree, "name"))
                    .log(
                            "Informer of {}: {} does not fit its class and is left out: {}",
                            target,
                            key(tree),
                            FailureMessage.of(e));
            return null;
        }
        return object == null ? null : transform.apply(object);
    }

    /** Without a name there is no key to store it by. */
    private static <T> T named(T object) {
        if (object instanceof KubernetesObject one
                && (one.getMetadata() == null || one.getMetadata().getName() == null)) {
            throw new JsonParseException("it has no metadata.name");
        }
        return object;
    }

    private static String key(JsonElement tree) {
        String namespace = metadata(tree, "namespace");
        return (namespace.isEmpty() ? "" : namespace + "/") + metadata(tree, "name");
    }

    /** A field of an object's metadata, empty if it has none. */
    public static String metadata(JsonElement tree, String field) {
        if (tree.isJsonObject()
                && tree.getAsJsonObject().get("metadata") instanceof JsonObject metadata
                && metadata.get(field) instanceof JsonPrimitive value) {
            return value.getAsString();
        }
        return "";
    }
}
