package io.controllermanager.crd;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedArrayType;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.AnnotatedTypeVariable;
import java.lang.reflect.AnnotatedWildcardType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A type where it stands. A type variable is what it stands for there, a wildcard its upper bound.
 * Its arguments are the type arguments, or the component of an array.
 */
record TypeUse(Type type, Set<Annotation> annotations, boolean nullable, List<TypeUse> arguments) {

    /** The use of a type to which some way leads, for the ways to what may be null and for what type variables stand for. */
    static TypeUse of(AnnotatedType type, Set<String> nullable, String way, Map<TypeVariable<?>, TypeUse> variables) {
        boolean mayBeNull = nullable.contains(way);
        TypeUse known = null;
        if (type instanceof AnnotatedTypeVariable && type.getType() instanceof TypeVariable<?> variable) {
            known = variables.get(variable);
        } else if (type instanceof AnnotatedWildcardType wildcard) {
            known = of(wildcard.getAnnotatedUpperBounds()[0], nullable, way, variables);
        }
        if (known != null) {
            Set<Annotation> annotations = new LinkedHashSet<>(Annotations.of(type));
            annotations.addAll(known.annotations);
            return new TypeUse(known.type, annotations, mayBeNull || known.nullable, known.arguments);
        }
        List<TypeUse> arguments = new ArrayList<>();
        if (type instanceof AnnotatedParameterizedType parameterized) {
            for (AnnotatedType argument : parameterized.getAnnotatedActualTypeArguments()) {
                arguments.add(of(argument, nullable, way + arguments.size() + ";", variables));
            }
        } else if (type instanceof AnnotatedArrayType array) {
            arguments.add(of(array.getAnnotatedGenericComponentType(), nullable, way + "[", variables));
        }
        return new TypeUse(type.getType(), Annotations.of(type), mayBeNull, List.copyOf(arguments));
    }

    /** What the type variables of its class stand for. */
    Map<TypeVariable<?>, TypeUse> variables() {
        Class<?> raw = raw();
        Map<TypeVariable<?>, TypeUse> variables = new HashMap<>();
        for (int i = 0; raw != null && !raw.isArray() && i < arguments.size(); i++) {
            variables.put(raw.getTypeParameters()[i], arguments.get(i));
        }
        return variables;
    }

    /** The class, null for a type variable that stands for nothing known, and an array of such. */
    @Nullable
    Class<?> raw() {
        if (type instanceof ParameterizedType parameterized) {
            return (Class<?>) parameterized.getRawType();
        }
        return type instanceof Class<?> known ? known : null;
    }
}
