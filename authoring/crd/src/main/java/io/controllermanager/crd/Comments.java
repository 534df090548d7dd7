package io.controllermanager.crd;

import java.lang.reflect.Field;
import java.util.Map;
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

    /** What is said of a class, null if nothing. */
    @Nullable
    String of(Class<?> type) {
        return texts.get(type.getName());
    }

    /** What is said of a field, or of the record component of its name, null if nothing. */
    @Nullable
    String of(Field field) {
        return texts.get(field.getDeclaringClass().getName() + "#" + field.getName());
    }
}
