package io.controllermanager.crd;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Annotations of other libraries that say what JSON, or its schema, is like. Gson reads and writes the objects and knows none of
 * them. One that says what holds anyway passes; one by which the wire would be another is refused.
 */
final class ForeignAnnotations {

    private static final Pattern FOREIGN = Pattern.compile(
            "(com\\.fasterxml|tools|org\\.codehaus)\\.jackson\\.(annotation|databind|map)\\..*|ja(kart|v)ax?\\.json\\.bind\\..*"
                    + "|com\\.squareup\\.moshi\\..*|kotlinx\\.serialization\\..*|com\\.google\\.gson\\.annotations\\..*"
                    + "|io\\.fabric8\\..*|javax\\.validation\\..*");

    private static final String AT_CONSTRUCTOR = " at the constructor";

    private final Problems problems;

    ForeignAnnotations(Problems problems) {
        this.problems = problems;
    }

    /** Judges those of a class, of all that it extends and implements, and of their members. */
    void check(@Nullable Class<?> type, List<Fields> fields, Place place) {
        if (type == null || type == Object.class || type == Record.class) {
            return;
        }
        check(Annotations.of(type), null, "", place);
        for (Method method : type.getDeclaredMethods()) {
            String property = method.getName().replaceFirst("\\$.*", "");
            checkMember(method, " at " + method.getName() + "()", property, fields, place);
        }
        for (Constructor<?> constructor : type.getDeclaredConstructors()) {
            check(Annotations.of(constructor), null, AT_CONSTRUCTOR, place);
            for (Parameter parameter : constructor.getParameters()) {
                checkMember(parameter, AT_CONSTRUCTOR, named(parameter), fields, place);
            }
        }
        check(type.getSuperclass(), fields, place);
        for (Class<?> implemented : type.getInterfaces()) {
            check(implemented, fields, place);
        }
    }

    /** Where the compiler keeps no names of parameters, the one that an annotation gives. */
    private static String named(Parameter parameter) {
        return parameter.isNamePresent() || parameter.getAnnotations().length == 0
                ? parameter.getName()
                : String.valueOf(
                        Annotations.given(parameter.getAnnotations()[0]).get("value"));
    }

    private void checkMember(AnnotatedElement member, String where, String name, List<Fields> fields, Place place) {
        for (Fields field : fields) {
            boolean named = property(field.field().getName()).equalsIgnoreCase(property(name));
            if (named || member.equals(field.parameter())) {
                check(Annotations.of(member), field.name(), "", place.field(field.name()));
                return;
            }
        }
        check(Annotations.of(member), null, where, place);
    }

    /** Kotlin has {@code isReady} for a field and its getter, and {@code setReady} for its setter. */
    private static String property(String name) {
        return name.replaceFirst("^(get|set|is)(?=[A-Z])", "");
    }

    /** Judges those of the field of some name in JSON, or of none; and where they are, if the place does not say it. */
    void check(Set<Annotation> annotations, @Nullable String name, String where, Place place) {
        for (Annotation annotation : annotations) {
            Class<?> type = annotation.annotationType();
            if (Stream.of(type.getAnnotations())
                    .anyMatch(inner -> inner.toString().contains("JacksonAnnotationsInside"))) {
                check(Annotations.of(type), name, " in @" + type.getSimpleName(), place);
            } else if (FOREIGN.matcher(type.getName()).matches() && !isTrueAnyway(annotation, name, where)) {
                problems.add(
                        place.invalid("@" + type.getSimpleName() + where + " means nothing to Gson, which reads and"
                                + " writes the objects; " + instead(type.getName(), type.getSimpleName())));
            }
        }
    }

    /** Whether the wire is what the annotation says. */
    private static boolean isTrueAnyway(Annotation annotation, @Nullable String name, String where) {
        Map<String, Object> given = Annotations.given(annotation);
        String simple = annotation.annotationType().getSimpleName();
        return switch (simple) {
            case "JsonProperty", "JsonGetter", "JsonSetter", "JsonbProperty" -> {
                given.keySet().removeAll(Set.of("required", "isRequired", "index"));
                yield name != null && (given.isEmpty() || given.equals(Map.of("value", name)));
            }
            // What has no name is no field.
            case "JsonIgnore", "JsonbTransient" -> name == null || Boolean.FALSE.equals(given.get("value"));
            case "Expose" -> given.isEmpty();
            case "JsonIgnoreProperties" -> Set.of("ignoreUnknown").containsAll(given.keySet());
            case "JsonInclude" -> given.toString().matches("\\{value=NON_(NULL|ABSENT)}");
            case "JsonCreator" ->
                where.equals(AT_CONSTRUCTOR) && !given.toString().contains("DELEGATING");
            case "JsonSerialize", "JsonDeserialize", "Serializable" ->
                given.values().stream().allMatch(value -> value.toString().endsWith("$None"));
            case "SerializedName",
                    "JsonPropertyDescription",
                    "JsonClassDescription",
                    "JsonPropertyOrder",
                    "Nullable",
                    "JacksonAnnotationsInside" -> true;
            default -> false;
        };
    }

    private static String instead(String name, String simple) {
        if (name.matches("javax\\.validation\\..*|io\\.fabric8\\..*\\.(Min|Max|Pattern|Size|Required)")) {
            return "write the one of jakarta.validation.constraints; a field is required unless it is @Nullable";
        } else if (name.startsWith("io.fabric8.")) {
            return "write what io.controllermanager.types has for it; for any value declare JsonElement";
        } else if (simple.matches("Json(b?Property|Getter|Setter|Naming|Alias)?|SerialName")) {
            return "write Gson's @SerializedName with the one name on the wire, and @Default for a default";
        } else if (simple.matches("Json(b?Ignore.*|IncludeProp.*|BackRef.*|bTransient)|Transient|Expose|Since|Until")) {
            return "make a field transient to leave it out";
        } else if (simple.matches("Json(Value|Creator|EnumDefaultValue)")) {
            return "write Gson's @SerializedName at each constant of an enum; declare any other field as what is on"
                    + " the wire";
        } else if (simple.matches("Json(Unwrapped|AnyGetter|AnySetter|TypeInfo|SubTypes)")) {
            return "declare the fields themselves, a Map<String, ...>, or Gson's JsonElement for any value";
        } else if (simple.equals("JsonInclude")) {
            return "leave it away: Gson writes all values but null";
        }
        return "declare the field as what is on the wire, such as a String or a record";
    }
}
