package io.controllermanager.crd;

import com.google.gson.annotations.SerializedName;
import io.controllermanager.types.Default;
import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedArrayType;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Modifier;
import java.lang.reflect.TypeVariable;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The structural schemas of classes: without references, as a CRD wants them. A field is required unless it is nullable or has
 * a default.
 *
 * @see <a href="https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/">CRDs</a>
 */
final class Schemas {

    private static final Set<String> OF_EVERY_OBJECT = Set.of("apiVersion", "kind", "metadata");

    private final Comments comments;

    Schemas(Comments comments) {
        this.comments = comments;
    }

    /**
     * The schema of a type with its fields, in which {@code metadata} is what every object has.
     *
     * @throws InvalidTypeException if a schema cannot say what the class says
     */
    Map<String, Object> ofObject(Class<?> type) {
        Place place = Place.of(type).inside(type);
        Map<String, Object> properties = new LinkedHashMap<>();
        properties.put("apiVersion", Schema.type("string"));
        properties.put("kind", Schema.type("string"));
        properties.put("metadata", ObjectNames.schemaOf(type, place.field("metadata")));
        List<String> required = new ArrayList<>();
        for (Fields field : Fields.of(type)) {
            if (!OF_EVERY_OBJECT.contains(field.name())) {
                // What the controller finds is not there yet when an object is created.
                addProperty(field, place, properties, field.name().equals("status") ? new ArrayList<>() : required);
            }
        }
        return object(type, place, properties, required);
    }

    private Map<String, Object> object(
            Class<?> type, Place place, Map<String, Object> properties, List<String> required) {
        Map<String, Object> schema = Schema.type("object");
        String comment = comments.of(type);
        if (comment != null) {
            schema.put("description", comment);
        }
        if (!properties.isEmpty()) {
            schema.put("properties", Collections.unmodifiableMap(properties));
        }
        if (!required.isEmpty()) {
            schema.put("required", List.copyOf(required));
        }
        Extensions extensions = new Extensions(schema, place);
        Annotations.of(type).forEach(extensions::add);
        return Schema.ordered(schema);
    }

    private void addProperty(Fields field, Place around, Map<String, Object> properties, List<String> required) {
        AnnotatedType type = field.type();
        if (type.getType() == Void.class) {
            return;
        }
        Place place = around.field(field.name());
        Set<Annotation> annotations =
                Annotations.of(field.field(), field.field().getAnnotatedType(), type);
        Map<String, Object> schema = new LinkedHashMap<>(schemaOf(type, field.variables(), annotations, place));
        String comment = comments.of(field.field());
        if (comment != null) {
            schema.put("description", comment);
        }
        if (field.field().getDeclaringClass() == V1ObjectMeta.class && type.getType() == OffsetDateTime.class) {
            // Go writes a time that is not set as null, so "kubectl create --dry-run" does in a pod template.
            schema.put("nullable", true);
        }
        if (properties.put(field.name(), Schema.ordered(schema)) != null) {
            throw place.invalid("two fields have this name");
        }
        boolean demanded = annotations.stream().anyMatch(Constraints::demandsAValue);
        boolean filledIn = annotations.stream().anyMatch(Default.class::isInstance);
        // Conditions are written before the reconciler has found the rest, as where its first try fails.
        boolean ofStatus = around.path().equals(".status");
        if (!ofStatus && !filledIn && (demanded || !isNullable(annotations))) {
            required.add(field.name());
        }
    }

    /** JSpecify's annotation, or that of client-java's models, or any other of this name. */
    private static boolean isNullable(Set<Annotation> annotations) {
        return annotations.stream()
                .anyMatch(annotation ->
                        annotation.annotationType().getSimpleName().equals("Nullable"));
    }

    /** The schema of a value with the annotations that it has where it stands. */
    private Map<String, Object> schemaOf(
            AnnotatedType type,
            Map<TypeVariable<?>, AnnotatedType> variables,
            Set<Annotation> annotations,
            Place place) {
        Map<String, Object> schema = new LinkedHashMap<>(schemaOf(type, variables, place));
        Constraints constraints = new Constraints(schema, place);
        annotations.forEach(constraints::add);
        Extensions extensions = new Extensions(schema, place);
        annotations.forEach(extensions::add);
        return schema;
    }

    private Map<String, Object> schemaOf(
            AnnotatedType type, Map<TypeVariable<?>, AnnotatedType> variables, Place place) {
        if (type instanceof AnnotatedArrayType array && type.getType() != byte[].class) {
            return list(array.getAnnotatedGenericComponentType(), variables, place);
        }
        Class<?> raw = Fields.classOf(type.getType());
        if (raw == null || type.getType() instanceof GenericArrayType) {
            throw place.invalid(type.getType() + " stands for no class here");
        }
        Map<String, Object> known = KnownTypes.schemaOf(raw);
        if (known != null) {
            return known;
        }
        if (raw.isEnum()) {
            return enumeration(raw, place);
        }
        if (Collection.class.isAssignableFrom(raw)) {
            AnnotatedType item = arguments(type, 1, place)[0];
            Map<String, Object> schema = list(item, variables, place);
            if (Set.class.isAssignableFrom(raw)) {
                Extensions.markAsSet(schema, place);
            }
            if (item.getType() == V1Condition.class) {
                Extensions.demandItems(schema, place);
                schema.put(Schema.LIST_TYPE, "map");
                schema.put(Schema.LIST_MAP_KEYS, List.of("type"));
            }
            return schema;
        }
        if (Map.class.isAssignableFrom(raw)) {
            return map(arguments(type, 2, place), variables, place);
        }
        if (raw.isPrimitive() || raw.isInterface() || Modifier.isAbstract(raw.getModifiers()) || isOfTheJdk(raw)) {
            throw place.invalid("client-java's Gson does not read and write " + raw.getName()
                    + "; declare a String, a number, OffsetDateTime or a record");
        }
        Place inside = place.inside(raw);
        Map<String, Object> properties = new LinkedHashMap<>();
        List<String> required = new ArrayList<>();
        for (Fields field : Fields.of(raw, type, variables)) {
            addProperty(field, inside, properties, required);
        }
        return object(raw, place, properties, required);
    }

    private static boolean isOfTheJdk(Class<?> type) {
        return type.getName().startsWith("java.") || type.getName().startsWith("javax.");
    }

    private static AnnotatedType[] arguments(AnnotatedType type, int count, Place place) {
        if (type instanceof AnnotatedParameterizedType parameterized
                && parameterized.getAnnotatedActualTypeArguments().length == count) {
            return parameterized.getAnnotatedActualTypeArguments();
        }
        throw place.invalid(type.getType().getTypeName() + " does not say what it holds");
    }

    private Map<String, Object> list(AnnotatedType item, Map<TypeVariable<?>, AnnotatedType> variables, Place place) {
        Map<String, Object> schema = Schema.type("array");
        schema.put("items", element(item, variables, place.item()));
        return schema;
    }

    private Map<String, Object> map(
            AnnotatedType[] arguments, Map<TypeVariable<?>, AnnotatedType> variables, Place place) {
        if (arguments[0].getType() != String.class) {
            throw place.invalid(
                    "a map's keys are strings, not " + arguments[0].getType().getTypeName());
        }
        for (Annotation annotation : Annotations.of(arguments[0])) {
            throw place.invalid(annotation + " on a map's keys: a CRD's schema cannot say it");
        }
        Map<String, Object> schema = Schema.type("object");
        schema.put("additionalProperties", element(arguments[1], variables, place.value()));
        return schema;
    }

    /** An item of a list or a value of a map. */
    private Map<String, Object> element(
            AnnotatedType declared, Map<TypeVariable<?>, AnnotatedType> variables, Place place) {
        AnnotatedType type = Fields.resolved(declared, variables);
        Set<Annotation> annotations = Annotations.of(declared, type);
        Map<String, Object> schema = schemaOf(type, variables, annotations, place);
        if (isNullable(annotations)) {
            schema.put("nullable", true);
        }
        return Schema.ordered(schema);
    }

    private static Map<String, Object> enumeration(Class<?> type, Place place) {
        Set<String> names = new LinkedHashSet<>();
        for (Object constant : type.getEnumConstants()) {
            String name = ((Enum<?>) constant).name();
            SerializedName given = givenName(type, name);
            if (!names.add(given == null ? name : given.value())) {
                throw place.invalid("two constants of " + type.getName() + " have the name " + names);
            }
        }
        Map<String, Object> schema = Schema.type("string");
        schema.put("enum", List.copyOf(names));
        return schema;
    }

    private static @Nullable SerializedName givenName(Class<?> type, String constant) {
        try {
            return type.getField(constant).getAnnotation(SerializedName.class);
        } catch (NoSuchFieldException e) {
            throw new IllegalStateException(type + " has no constant " + constant, e);
        }
    }
}
