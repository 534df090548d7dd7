package io.controllermanager.client.internal.json;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Which class a class names for a type parameter of what it extends or implements. */
public final class TypeArguments {

    private TypeArguments() {}

    /** The class that stands for a type parameter of an ancestor; null if none does, as in a lambda or a proxy. */
    public static @Nullable Class<?> of(Class<?> type, TypeVariable<?> parameter) {
        return find(type, parameter, Map.of());
    }

    private static @Nullable Class<?> find(@Nullable Type type, TypeVariable<?> parameter, Map<Type, Type> outer) {
        Map<Type, Type> arguments = new HashMap<>();
        Class<?> raw = type instanceof Class<?> known ? known : null;
        if (type instanceof ParameterizedType parameterized) {
            raw = (Class<?>) parameterized.getRawType();
            TypeVariable<?>[] parameters = raw.getTypeParameters();
            for (int i = 0; i < parameters.length; i++) {
                Type argument = parameterized.getActualTypeArguments()[i];
                arguments.put(parameters[i], outer.getOrDefault(argument, argument));
            }
        }
        if (raw == null) {
            return null;
        }
        if (raw == parameter.getGenericDeclaration()) {
            return arguments.get(parameter) instanceof Class<?> found ? found : null;
        }
        for (Type parent : raw.getGenericInterfaces()) {
            Class<?> found = find(parent, parameter, arguments);
            if (found != null) {
                return found;
            }
        }
        return find(raw.getGenericSuperclass(), parameter, arguments);
    }
}
