package io.controllermanager.crd;

import java.lang.annotation.Annotation;
import java.lang.reflect.Field;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Documentation comments, which class files do not hold, as plain text on one line.
 *
 * @param texts by the binary name of a class ({@code com.example.Website$Spec}), or by that with a field's Java name
 *     ({@code com.example.Website$Spec#host})
 */
public record Comments(Map<String, String> texts) {

    private static final Pattern DESCRIPTION = Pattern.compile(
            "io\\.controllermanager\\.types\\.Doc|com\\.fasterxml\\.jackson\\.annotation\\.Json(Class|Property)Description");

    /** None: descriptions are left out. */
    public static final Comments NONE = new Comments(Map.of());

    /** Copies the map. */
    public Comments {
        texts = Map.copyOf(texts);
    }

    /** What is said of a class, null if nothing. */
    @Nullable
    String of(Class<?> type) {
        return of(Annotations.of(type), type.getName());
    }

    /** What is said of a field with some annotations, or of the record component of its name, null if nothing. */
    @Nullable
    String of(Field field, Set<Annotation> annotations) {
        return of(annotations, field.getDeclaringClass().getName() + "#" + field.getName());
    }

    /** What an annotation says, else the comment. */
    private @Nullable String of(Set<Annotation> annotations, String name) {
        for (Annotation annotation : annotations) {
            if (DESCRIPTION.matcher(annotation.annotationType().getName()).matches()
                    && Annotations.given(annotation).get("value") instanceof String text) {
                return text;
            }
        }
        return texts.get(name);
    }
}
