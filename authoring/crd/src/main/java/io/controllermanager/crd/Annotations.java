package io.controllermanager.crd;

import java.lang.annotation.Annotation;
import java.lang.annotation.Repeatable;
import java.lang.reflect.AnnotatedElement;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;
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

    private static Stream<Annotation> repeated(Annotation annotation) {
        try {
            Object value = annotation.annotationType().getMethod("value").invoke(annotation);
            if (value instanceof Annotation[] many) {
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
