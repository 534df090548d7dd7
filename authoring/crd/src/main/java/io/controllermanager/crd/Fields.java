package io.controllermanager.crd;

import com.google.gson.annotations.SerializedName;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.AnnotatedTypeVariable;
import java.lang.reflect.AnnotatedWildcardType;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a class that Gson reads and writes: those of its superclasses first, none that are static or transient.
 *
 * @param field the field
 * @param name its name in JSON
 * @param variables what the type variables of the class that declares it stand for
 */
record Fields(Field field, String name, Map<TypeVariable<?>, AnnotatedType> variables) {

    /** Those of a class as it is used somewhere, for the values of its type variables. */
    static List<Fields> of(Class<?> type, AnnotatedType use, Map<TypeVariable<?>, AnnotatedType> around) {
        List<Fields> fields = new ArrayList<>();
        collect(type, use, around, fields);
        return fields;
    }

    /** Those of a class that is not generic. */
    static List<Fields> of(Class<?> type) {
        List<Fields> fields = new ArrayList<>();
        collect(type, null, Map.of(), fields);
        return fields;
    }

    private static void collect(
            Class<?> type, @Nullable AnnotatedType use, Map<TypeVariable<?>, AnnotatedType> around, List<Fields> into) {
        Map<TypeVariable<?>, AnnotatedType> variables = new HashMap<>();
        if (use instanceof AnnotatedParameterizedType parameterized) {
            AnnotatedType[] arguments = parameterized.getAnnotatedActualTypeArguments();
            for (int i = 0; i < arguments.length; i++) {
                variables.put(type.getTypeParameters()[i], resolved(arguments[i], around));
            }
        }
        Class<?> parent = type.getSuperclass();
        if (parent != null && parent != Object.class && parent != Record.class) {
            collect(parent, type.getAnnotatedSuperclass(), variables, into);
        }
        for (Field field : type.getDeclaredFields()) {
            int modifiers = field.getModifiers();
            if (!Modifier.isStatic(modifiers) && !Modifier.isTransient(modifiers) && !field.isSynthetic()) {
                SerializedName given = field.getAnnotation(SerializedName.class);
                into.add(new Fields(field, given == null ? field.getName() : given.value(), variables));
            }
        }
    }

    /** The type as it is declared, or what its type variable stands for. */
    AnnotatedType type() {
        return resolved(field.getAnnotatedType(), variables);
    }

    /** What a type variable stands for, and the upper bound of a wildcard; any other type itself. */
    static AnnotatedType resolved(AnnotatedType type, Map<TypeVariable<?>, AnnotatedType> variables) {
        if (type instanceof AnnotatedTypeVariable variable && variables.get(variable.getType()) != null) {
            return variables.get(variable.getType());
        }
        return type instanceof AnnotatedWildcardType wildcard
                ? resolved(wildcard.getAnnotatedUpperBounds()[0], variables)
                : type;
    }

    /** The class of a type, null for a type variable that stands for nothing known. */
    static @Nullable Class<?> classOf(Type type) {
        if (type instanceof ParameterizedType parameterized) {
            return (Class<?>) parameterized.getRawType();
        }
        return type instanceof Class<?> known ? known : null;
    }
}
