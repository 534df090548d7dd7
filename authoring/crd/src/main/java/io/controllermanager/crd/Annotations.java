package io.controllermanager.crd;

import java.lang.annotation.Annotation;
import java.lang.annotation.Repeatable;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The annotations of a field and of its type. */
final class Annotations {

    private Annotations() {}

    /** Each once, though those for fields and types stand in both; those that repeat are taken out of their container. */
    static Set<Annotation> of(AnnotatedElement... elements) {
        Set<Annotation> all = new LinkedHashSet<>();
        for (AnnotatedElement element : elements) {
            for (Annotation annotation : element.getAnnotations()) {
                all.addAll(repeated(annotation).toList());
            }
        }
        return all;
    }

    /** The values that an annotation gives, but for those that are its defaults; the caller may change the map. */
    static Map<String, Object> given(Annotation annotation) {
        Map<String, Object> given = new TreeMap<>();
        for (Method attribute : annotation.annotationType().getDeclaredMethods()) {
            try {
                attribute.setAccessible(true);
                Object value = attribute.invoke(annotation);
                if (!Objects.deepEquals(value, attribute.getDefaultValue())) {
                    given.put(attribute.getName(), value);
                }
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("Cannot read " + annotation, e);
            }
        }
        return given;
    }

    private static Stream<Annotation> repeated(Annotation annotation) {
        try {
            Method values = annotation.annotationType().getMethod("value");
            values.setAccessible(true);
            if (values.invoke(annotation) instanceof Annotation[] many) {
                Repeatable repeatable = many.getClass().getComponentType().getAnnotation(Repeatable.class);
                if (repeatable != null && repeatable.value().equals(annotation.annotationType())) {
                    return Arrays.stream(many);
                }
            }
        } catch (NoSuchMethodException e) {
            return Stream.of(annotation);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("Cannot read " + annotation, e);
        }
        return Stream.of(annotation);
    }
}
