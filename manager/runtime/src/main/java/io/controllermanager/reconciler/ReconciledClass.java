package io.controllermanager.reconciler;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Tells which objects a reconciler's class says that it reconciles. */
final class ReconciledClass {

    private ReconciledClass() {}

    /** The class that stands for the type parameter of {@link ObjectReconciler}; null if none does, as in a lambda or a proxy. */
    static @Nullable Class<?> of(Class<?> reconciler) {
        return find(reconciler, Map.of());
    }

    private static @Nullable Class<?> find(@Nullable Type type, Map<Type, Type> outer) {
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
        if (raw == ObjectReconciler.class) {
            return arguments.get(raw.getTypeParameters()[0]) instanceof Class<?> found ? found : null;
        }
        for (Type parent : raw.getGenericInterfaces()) {
            Class<?> found = find(parent, arguments);
            if (found != null) {
                return found;
            }
        }
        return find(raw.getGenericSuperclass(), arguments);
    }
}
