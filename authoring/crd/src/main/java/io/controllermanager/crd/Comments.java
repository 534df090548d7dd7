package io.controllermanager.crd;

import io.controllermanager.types.Doc;
import java.lang.annotation.Annotation;
import java.lang.reflect.Field;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Documentation comments, which class files do not hold, as plain text on one line.
 *
 * @param texts by the binary name of a class ({@code com.example.Website$Spec}), or by that with a field's Java name
 *     ({@code com.example.Website$Spec#host})
 */
public record Comments(Map<String, String> texts) {

    /** None: descriptions are left out. */
    public static final Comments NONE = new Comments(Map.of());

    /** Copies the map. */
    public Comments {
        texts = Map.copyOf(texts);
    }

    /** What is said of a class, null if nothing. An annotation goes before a comment. */
    @Nullable
    String of(Class<?> type) {
        return texts(Annotations.of(type)).findFirst().orElse(texts.get(type.getName()));
    }

    /**
     * What is said of a field, or of the record component of its name, null if nothing. An annotation goes before a comment.
     *
     * @param annotations those of the field
     */
    @Nullable
    String of(Field field, Set<Annotation> annotations) {
        return texts(annotations)
                .findFirst()
                .orElse(texts.get(field.getDeclaringClass().getName() + "#" + field.getName()));
    }

    /** What {@code @Doc} says, or Jackson's of that purpose. */
    private static Stream<String> texts(Set<Annotation> annotations) {
        return annotations.stream()
                .filter(annotation -> annotation instanceof Doc
                        || annotation
                                .annotationType()
                                .getName()
                                .matches("com\\.fasterxml\\.jackson\\.annotation\\.Json(Class|Property)Description"))
                .map(annotation -> String.valueOf(Annotations.given(annotation).getOrDefault("value", "")));
    }
}
