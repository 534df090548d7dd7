package io.controllermanager.testing.apiserver.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.gson.annotations.SerializedName;
import io.controllermanager.testing.apiserver.json.Json;
import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1JSONSchemaProps;
import io.swagger.annotations.ApiModelProperty;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The schemas of the built-in types, read from client-java's model classes, so that they are those of the Kubernetes
 * version that client-java speaks. What the classes do not tell comes from a table.
 */
public final class ModelSchemas {

    private static final String MODELS = "io.kubernetes.client.openapi.models.";
    private static final String PREFIX = "io.k8s.api.";
    /** Types whose value apply replaces as a whole. */
    private static final Set<String> ATOMIC = Set.of(
            "ConfigMapKeySelector",
            "LabelSelector",
            "LocalObjectReference",
            "NodeSelector",
            "ObjectFieldSelector",
            "ObjectReference",
            "OwnerReference",
            "ResourceFieldSelector",
            "RoleRef",
            "SecretKeySelector",
            "TypedLocalObjectReference");

    private final JsonNode notes;
    private final Map<String, Class<?>> classes = new ConcurrentHashMap<>();
    private final Map<String, ObjectNode> definitions = new ConcurrentHashMap<>();

    /**
     * Reads the classes when they are asked for.
     *
     * @param notes {@code Type.field} to what the class does not tell of it
     */
    public ModelSchemas(JsonNode notes) {
        this.notes = notes;
    }

    /** The schema of a model class. */
    public Schema of(String model) {
        try {
            return new Schema(reference(Class.forName(MODELS + model)), this::definition);
        } catch (ClassNotFoundException e) {
            throw new IllegalArgumentException("client-java has no model " + model, e);
        }
    }

    /** The name under which a model's schema is published. */
    public static String name(String model) {
        return PREFIX + model.replaceFirst("^(Core|Events)?V1", "");
    }

    /** A type's schema by its published name. */
    public ObjectNode definition(String name) {
        ObjectNode known = definitions.get(name);
        if (known == null) {
            Class<?> model = classes.get(name);
            known = model == null ? Json.object() : struct(name, model);
            definitions.put(name, known);
        }
        return known;
    }

    private ObjectNode reference(Class<?> model) {
        String name = name(model.getSimpleName());
        if (model.getSimpleName().startsWith("Events")) {
            name = name.replace(PREFIX, PREFIX + "events.");
        }
        classes.put(name, model);
        ObjectNode reference = Json.object();
        reference.putArray("allOf").addObject().put("$ref", Schema.REF + name);
        return reference;
    }

    private ObjectNode struct(String name, Class<?> model) {
        ObjectNode schema = Json.object().put("type", "object");
        ObjectNode properties = schema.putObject("properties");
        ArrayNode required = Json.array();
        for (Field field : model.getDeclaredFields()) {
            SerializedName serialized = field.getAnnotation(SerializedName.class);
            if (serialized == null) {
                continue;
            }
            ObjectNode property = of(field.getGenericType());
            ApiModelProperty told = told(model, field);
            if (told != null) {
                property.put("description", told.value());
                if (told.required()) {
                    required.add(serialized.value());
                }
            }
            annotate(property, notes.path(name.substring(name.lastIndexOf('.') + 1) + "." + serialized.value()));
            properties.set(serialized.value(), property);
        }
        if (ATOMIC.contains(name.substring(name.lastIndexOf('.') + 1))) {
            schema.put("x-kubernetes-map-type", "atomic");
        }
        if (!required.isEmpty()) {
            schema.set("required", required);
        }
        return schema;
    }

    private static @Nullable ApiModelProperty told(Class<?> model, Field field) {
        String capital = field.getName().substring(0, 1).toUpperCase(Locale.ROOT)
                + field.getName().substring(1);
        try {
            Method getter = model.getMethod("get" + capital);
            return getter.getAnnotation(ApiModelProperty.class);
        } catch (NoSuchMethodException e) {
            return null;
        }
    }

    private static void annotate(ObjectNode property, JsonNode note) {
        if (note.has("default")) {
            property.set("default", note.path("default"));
        }
        if (note.has("format")) {
            property.set("format", note.path("format"));
        }
        String strategy = "";
        if (note.has("keys")) {
            property.put("x-kubernetes-list-type", "map").set("x-kubernetes-list-map-keys", note.path("keys"));
            property.put(
                    "x-kubernetes-patch-merge-key", note.path("keys").path(0).asText());
            strategy = "merge";
        }
        if (note.path("set").asBoolean()) {
            property.put("x-kubernetes-list-type", "set");
            strategy = "merge";
        }
        if (note.path("retainKeys").asBoolean()) {
            strategy = strategy.isEmpty() ? "retainKeys" : strategy + ",retainKeys";
        }
        if (note.path("patchReplaces").asBoolean()) {
            strategy = "";
            property.remove("x-kubernetes-patch-merge-key");
        }
        if (!strategy.isEmpty()) {
            property.put("x-kubernetes-patch-strategy", strategy);
        }
    }

    private ObjectNode of(Type type) {
        if (type instanceof ParameterizedType generic) {
            Type[] arguments = generic.getActualTypeArguments();
            return generic.getRawType() == List.class
                    ? Json.object().put("type", "array").set("items", of(arguments[0]))
                    : Json.object().put("type", "object").set("additionalProperties", of(arguments[1]));
        }
        Class<?> plain = (Class<?>) type;
        if (plain == String.class) {
            return Json.object().put("type", "string");
        } else if (plain == Boolean.class) {
            return Json.object().put("type", "boolean");
        } else if (plain == Integer.class) {
            return Json.object().put("type", "integer").put("format", "int32");
        } else if (plain == Long.class) {
            return Json.object().put("type", "integer").put("format", "int64");
        } else if (plain == Double.class) {
            return Json.object().put("type", "number").put("format", "double");
        } else if (plain == OffsetDateTime.class) {
            return Json.object().put("type", "string").put("format", "date-time");
        } else if (plain == byte[].class) {
            return Json.object().put("type", "string").put("format", "byte");
        } else if (plain == IntOrString.class || plain == Quantity.class) {
            return Json.object().put("x-kubernetes-int-or-string", true);
        } else if (plain == V1JSONSchemaProps.class) {
            // A CRD's schemas are read as they are; their type refers to itself a hundred times.
            return Json.object().put("type", "object").put("x-kubernetes-preserve-unknown-fields", true);
        } else if (plain.getName().startsWith(MODELS)) {
            return reference(plain);
        }
        return Json.object().put("x-kubernetes-preserve-unknown-fields", true);
    }
}
