package io.controllermanager.crd;

import java.lang.annotation.Annotation;
import java.lang.annotation.Repeatable;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
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
            Object value = value(annotation, attribute);
            if (!Objects.deepEquals(value, attribute.getDefaultValue())) {
                given.put(attribute.getName(), value);
            }
        }
        return given;
    }

    private static Stream<Annotation> repeated(Annotation annotation) {
        for (Method attribute : annotation.annotationType().getDeclaredMethods()) {
            Class<?> item = attribute.getReturnType().getComponentType();
            Repeatable repeatable = item == null ? null : item.getAnnotation(Repeatable.class);
            if (repeatable != null && repeatable.value() == annotation.annotationType()) {
                return Stream.of((Annotation[]) value(annotation, attribute));
            }
        }
        return Stream.of(annotation);
    }

    private static Object value(Annotation annotation, Method attribute) {
        try {
            attribute.setAccessible(true);
            return attribute.invoke(annotation);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("Cannot read " + annotation, e);
        }
    }
}
