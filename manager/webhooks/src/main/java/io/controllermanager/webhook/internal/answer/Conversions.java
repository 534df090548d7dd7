package io.controllermanager.webhook.internal.answer;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonPrimitive;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.internal.json.ApiJson;
import io.controllermanager.webhook.ConversionWebhook;
import io.controllermanager.webhook.Converter;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Converts objects between the versions of their types, by way of the hub. Safe for use by several threads. */
public final class Conversions {

    /** How the annotations begin that keep losses; a version follows. */
    public static final String LOSSES = "conversion.controller-manager.io/";

    /** Of each version but hubs, by kind and apiVersion. */
    private final Map<Version, Spoke<?, ?>> spokes = new HashMap<>();

    private final Map<Version, ResourceType<?>> types = new HashMap<>();

    /** A kind in one of its versions. */
    private record Version(String apiVersion, String kind) {

        static Version of(ResourceType<?> type) {
            return new Version(type.apiVersion(), type.kind());
        }
    }

    /** A converter with what its annotation says. */
    private record Spoke<S extends KubernetesObject, H extends KubernetesObject>(
            ResourceType<S> type, ResourceType<H> hub, Converter<S, H> converter, boolean keepsLosses) {

        JsonObject toHub(JsonObject object) {
            return Conversions.convert(object, type, hub, converter::toHub, keepsLosses ? converter::fromHub : null);
        }

        JsonObject fromHub(JsonObject object) {
            return Conversions.convert(object, hub, type, converter::fromHub, keepsLosses ? converter::toHub : null);
        }
    }

    /**
     * Adds a converter.
     *
     * @param converterClass the class that the bean is of, which has the annotation
     */
    public void add(Class<?> converterClass, Converter<?, ?> converter) {
        ConversionWebhook annotation =
                Objects.requireNonNull(converterClass.getAnnotation(ConversionWebhook.class), "annotation");
        add(annotation.value(), annotation.hub(), annotation.keepsLosses(), converter);
    }

    @SuppressWarnings("unchecked") // The annotation names the converter's classes, which its registration has checked.
    private <S extends KubernetesObject, H extends KubernetesObject> void add(
            Class<S> spokeClass, Class<H> hubClass, boolean keepsLosses, Converter<?, ?> converter) {
        ResourceType<S> spoke = ResourceType.of(spokeClass);
        ResourceType<H> hub = ResourceType.of(hubClass);
        types.put(Version.of(spoke), spoke);
        types.put(Version.of(hub), hub);
        spokes.put(Version.of(spoke), new Spoke<>(spoke, hub, (Converter<S, H>) converter, keepsLosses));
    }

    /** Whether there is anything to convert. */
    public boolean isEmpty() {
        return spokes.isEmpty();
    }

    /**
     * The object in another version.
     *
     * @param object not changed
     * @throws IllegalArgumentException if one of the versions is not known, or the object does not fit its class
     * @throws RuntimeException what a converter throws
     */
    public JsonObject convert(JsonObject object, String apiVersion) {
        String kind = text(object, "kind");
        Version from = new Version(text(object, "apiVersion"), kind);
        Version to = new Version(apiVersion, kind);
        known(from);
        known(to);
        if (from.equals(to)) {
            return object;
        }
        Spoke<?, ?> source = spokes.get(from);
        Spoke<?, ?> target = spokes.get(to);
        JsonObject hub = source == null ? object : source.toHub(object);
        return target == null ? hub : target.fromHub(hub);
    }

    private void known(Version version) {
        if (!types.containsKey(version)) {
            throw new IllegalArgumentException("no converter is for " + version.kind() + " " + version.apiVersion());
        }
    }

    private static String text(JsonObject object, String field) {
        if (!object.has(field) || !object.get(field).isJsonPrimitive()) {
            throw new IllegalArgumentException("the object has no " + field);
        }
        return object.get(field).getAsString();
    }

    /** One step, with what was lost in former ones and what is lost by this. */
    private static <A extends KubernetesObject, B extends KubernetesObject> JsonObject convert(
            JsonObject object,
            ResourceType<A> from,
            ResourceType<B> to,
            Function<A, B> conversion,
            @Nullable Function<B, A> back) {
        B converted = conversion.apply(read(object, from));
        JsonObject result = tree(converted, to);
        JsonObject metadata = metadata(object, converted.getMetadata());
        result.add("metadata", metadata);
        if (back != null) {
            restore(result, metadata, to.version());
            Losses losses = Losses.between(object, tree(back.apply(read(result, to)), from));
            if (!losses.isEmpty()) {
                annotate(metadata, Losses.annotation(from.version()), losses.text());
            }
        }
        return result;
    }

    private static <T extends KubernetesObject> T read(JsonObject object, ResourceType<T> type) {
        try {
            return ApiJson.read(object, ApiJson.adapter(type.objectClass()));
        } catch (JsonParseException e) {
            throw new IllegalArgumentException("it is no " + type + ": " + e.getMessage(), e);
        }
    }

    private static JsonObject tree(KubernetesObject object, ResourceType<?> type) {
        JsonObject tree = ApiJson.tree(object).getAsJsonObject();
        tree.addProperty("apiVersion", type.apiVersion());
        tree.addProperty("kind", type.kind());
        return tree;
    }

    /** That of the object as it was sent; of what a converter says about it the API server takes labels and annotations alone. */
    private static JsonObject metadata(JsonObject object, @Nullable V1ObjectMeta said) {
        JsonObject metadata =
                object.has("metadata") ? object.getAsJsonObject("metadata").deepCopy() : new JsonObject();
        if (said != null && said.getName() != null) {
            put(metadata, "labels", said.getLabels());
            put(metadata, "annotations", said.getAnnotations());
        }
        return metadata;
    }

    private static void put(JsonObject metadata, String field, @Nullable Map<String, String> values) {
        metadata.remove(field);
        if (values != null && !values.isEmpty()) {
            metadata.add(field, ApiJson.tree(values));
        }
    }

    private static void restore(JsonObject object, JsonObject metadata, String version) {
        if (metadata.get("annotations") instanceof JsonObject annotations
                && annotations.remove(Losses.annotation(version)) instanceof JsonPrimitive text) {
            Losses losses = Losses.parse(text.getAsString());
            if (losses != null) {
                losses.restore(object);
            }
            if (annotations.isEmpty()) {
                metadata.remove("annotations");
            }
        }
    }

    private static void annotate(JsonObject metadata, String name, String value) {
        if (!metadata.has("annotations")) {
            metadata.add("annotations", new JsonObject());
        }
        metadata.getAsJsonObject("annotations").addProperty(name, value);
    }
}
