package io.controllermanager.crd;

import com.google.gson.annotations.SerializedName;
import io.controllermanager.types.Default;
import io.kubernetes.client.openapi.models.V1Condition;
import java.lang.annotation.Annotation;
import java.lang.reflect.Field;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Modifier;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The structural schemas of classes: without references, as a CRD wants them. A field is required unless it is nullable or has
 * a default.
 *
 * @see <a href="https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/">CRDs</a>
 */
final class Schemas {

    private static final Set<String> OF_EVERY_OBJECT = Set.of("apiVersion", "kind", "metadata");

    private final Comments comments;
    private final Problems problems;
    private final ForeignAnnotations foreign;

    /** The places of fields that nothing is said of. */
    private final List<String> undescribed = new ArrayList<>();

    /**
     * Makes schemas.
     *
     * @param comments what becomes the descriptions
     * @param problems takes what a schema cannot say
     */
    Schemas(Comments comments, Problems problems) {
        this.comments = comments;
        this.problems = problems;
        this.foreign = new ForeignAnnotations(problems);
    }

    /** The schema of a type with its fields, in which {@code metadata} is what every object has. */
    Map<String, Object> ofObject(Class<?> type) {
        Place place = Place.of(type).inside(type);
        Map<String, Object> properties = new LinkedHashMap<>();
        properties.put("apiVersion", Schema.type("string"));
        properties.put("kind", Schema.type("string"));
        problems.gather(() -> properties.put("metadata", ObjectNames.schemaOf(type, place.field("metadata"))));
        List<String> required = new ArrayList<>();
        List<Fields> fields = Fields.of(type, Map.of(), place);
        for (Fields field : fields) {
            if (!OF_EVERY_OBJECT.contains(field.name())) {
                // What the controller finds is not there yet when an object is created.
                addProperty(field, place, properties, field.name().equals("status") ? new ArrayList<>() : required);
            }
        }
        return object(type, fields, place, properties, required);
    }

    /** The places of the fields that no comment and no annotation describes. */
    List<String> undescribed() {
        return List.copyOf(undescribed);
    }

    private Map<String, Object> object(
            Class<?> type, List<Fields> fields, Place place, Map<String, Object> properties, List<String> required) {
        Map<String, Object> schema = Schema.type("object");
        String comment = comments.of(type);
        if (comment != null) {
            schema.put("description", comment);
        }
        Schema.putGiven(schema, "properties", Collections.unmodifiableMap(properties));
        Schema.putGiven(schema, "required", List.copyOf(required));
        foreign.check(type, fields, place);
        Extensions extensions = new Extensions(schema, place);
        Annotations.of(type).forEach(annotation -> problems.gather(() -> extensions.add(annotation)));
        return Schema.ordered(schema);
    }

    private void addProperty(Fields field, Place around, Map<String, Object> properties, List<String> required) {
        Place place = around.field(field.name());
        Map<String, Object> schema = new LinkedHashMap<>();
        try {
            TypeUse use = field.use(place);
            if (use.type() == Void.class) {
                return;
            }
            foreign.check(use.annotations(), field.name(), "", place);
            schema.putAll(schemaOf(use, place));
            boolean demanded = use.annotations().stream().anyMatch(Constraints::demandsAValue);
            boolean filledIn = use.annotations().stream().anyMatch(Default.class::isInstance);
            boolean filledByKotlin = field.hasDefault(place);
            // Conditions are written before the reconciler has found the rest, as where its first try fails.
            boolean ofStatus = around.path().equals(".status");
            if (!ofStatus && !filledIn && !filledByKotlin && (demanded || !use.nullable())) {
                required.add(field.name());
            }
            boolean ofModel = KnownTypes.isModel(field.field().getDeclaringClass());
            if (ofModel && use.type() == OffsetDateTime.class) {
                // Go writes a time that is not set as null, so "kubectl create --dry-run" does in a pod template.
                schema.put("nullable", true);
            }
            String comment = comments.of(field.field(), use.annotations());
            if (comment != null) {
                schema.put("description", comment);
            } else if (!schema.containsKey("description") && !ofModel) {
                undescribed.add(place.path());
            }
        } catch (InvalidTypeException e) {
            problems.add(e);
            schema.put(Schema.INVALID, e);
        }
        if (properties.put(field.name(), Schema.ordered(schema)) != null) {
            problems.add(place.invalid("two fields have this name"));
        }
    }

    /** The schema of a value with the annotations that it has where it stands. */
    private Map<String, Object> schemaOf(TypeUse use, Place place) {
        Map<String, Object> schema = new LinkedHashMap<>(schemaOfType(use, place));
        Constraints constraints = new Constraints(schema, place);
        use.annotations().forEach(annotation -> problems.gather(() -> constraints.add(annotation)));
        Extensions extensions = new Extensions(schema, place);
        use.annotations().forEach(annotation -> problems.gather(() -> extensions.add(annotation)));
        return schema;
    }

    private Map<String, Object> schemaOfType(TypeUse use, Place place) {
        Class<?> raw = use.raw();
        if (use.type() instanceof GenericArrayType || (raw != null && raw.isArray() && raw != byte[].class)) {
            return list(use.arguments().get(0), place);
        }
        if (raw == null) {
            throw place.invalid(use.type() + " stands for no class here");
        }
        Map<String, Object> known = KnownTypes.schemaOf(raw);
        if (known != null) {
            return known;
        }
        if (raw.isEnum()) {
            return enumeration(raw, place);
        }
        if (Collection.class.isAssignableFrom(raw)) {
            TypeUse item = arguments(use, 1, place).get(0);
            Map<String, Object> schema = list(item, place);
            if (Set.class.isAssignableFrom(raw)) {
                Extensions.markAsSet(schema, place);
            }
            if (item.type() == V1Condition.class) {
                Extensions.demandItems(schema, place);
                schema.put(Schema.LIST_TYPE, "map");
                schema.put(Schema.LIST_MAP_KEYS, List.of("type"));
            }
            return schema;
        }
        if (Map.class.isAssignableFrom(raw)) {
            return map(arguments(use, 2, place), place);
        }
        if (raw.isPrimitive() || raw.isInterface() || Modifier.isAbstract(raw.getModifiers()) || isOfALibrary(raw)) {
            throw place.invalid("client-java's Gson does not read and write " + raw.getName()
                    + "; declare a String, a number, OffsetDateTime or a record");
        }
        Place inside = place.inside(raw);
        Map<String, Object> properties = new LinkedHashMap<>();
        List<String> required = new ArrayList<>();
        List<Fields> fields = Fields.of(raw, use.variables(), place);
        fields.forEach(field -> addProperty(field, inside, properties, required));
        return object(raw, fields, place, properties, required);
    }

    private static boolean isOfALibrary(Class<?> type) {
        return Stream.of("java.", "javax.", "kotlin.", "com.google.gson.", "io.kubernetes.client.util.")
                .anyMatch(type.getName()::startsWith);
    }

    private static List<TypeUse> arguments(TypeUse use, int count, Place place) {
        if (use.arguments().size() == count) {
            return use.arguments();
        }
        throw place.invalid(use.type().getTypeName() + " does not say what it holds");
    }

    private Map<String, Object> list(TypeUse item, Place place) {
        Map<String, Object> schema = Schema.type("array");
        schema.put("items", element(item, place.item()));
        return schema;
    }

    private Map<String, Object> map(List<TypeUse> arguments, Place place) {
        TypeUse key = arguments.get(0);
        if (key.type() != String.class) {
            throw place.invalid("a map's keys are strings, not " + key.type().getTypeName());
        }
        for (Annotation annotation : key.annotations()) {
            throw place.invalid(annotation + " on a map's keys: a CRD's schema cannot say it");
        }
        Map<String, Object> schema = Schema.type("object");
        schema.put("additionalProperties", element(arguments.get(1), place.value()));
        return schema;
    }

    /** An item of a list or a value of a map. */
    private Map<String, Object> element(TypeUse use, Place place) {
        foreign.check(use.annotations(), null, "", place);
        Map<String, Object> schema = schemaOf(use, place);
        if (use.nullable()) {
            schema.put("nullable", true);
        }
        return Schema.ordered(schema);
    }

    private Map<String, Object> enumeration(Class<?> type, Place place) {
        Set<String> names = new LinkedHashSet<>();
        for (Field constant : type.getFields()) {
            if (constant.isEnumConstant()) {
                SerializedName given = constant.getAnnotation(SerializedName.class);
                String name = given == null ? constant.getName() : given.value();
                foreign.check(Annotations.of(constant), name, " at " + constant.getName(), place);
                if (!names.add(name)) {
                    throw place.invalid("two constants of " + type.getName() + " have the name " + names);
                }
            }
        }
        foreign.check(type, List.of(), place);
        Map<String, Object> schema = Schema.type("string");
        schema.put("enum", List.copyOf(names));
        return schema;
    }
}
