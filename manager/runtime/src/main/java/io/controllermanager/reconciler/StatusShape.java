package io.controllermanager.reconciler;

import java.lang.reflect.Field;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tells what the class of an object's status declares. */
final class StatusShape {

    private StatusShape() {}

    /** Whether the status of objects of a class has a field of that name. False if it has no class of its own. */
    static boolean hasField(Class<?> objectClass, String name) {
        Class<?> status = statusClass(objectClass);
        for (Class<?> at = status; at != null && at != Object.class; at = at.getSuperclass()) {
            if (Arrays.stream(at.getDeclaredFields())
                    .anyMatch(field -> field.getName().equals(name))) {
                return true;
            }
        }
        return false;
    }

    private static @Nullable Class<?> statusClass(Class<?> objectClass) {
        for (Class<?> at = objectClass; at != null && at != Object.class; at = at.getSuperclass()) {
            for (Field field : at.getDeclaredFields()) {
                if (field.getName().equals("status")) {
                    return resolve(field.getGenericType(), objectClass, at);
                }
            }
        }
        return null;
    }

    /** As far as an object's class says itself what its superclass is made of. */
    private static @Nullable Class<?> resolve(Type type, Class<?> objectClass, Class<?> declaring) {
        if (type instanceof Class<?> known) {
            return known;
        }
        Class<?> below = objectClass;
        while (below.getSuperclass() != null && below.getSuperclass() != declaring) {
            below = below.getSuperclass();
        }
        if (type instanceof TypeVariable<?> variable
                && below.getGenericSuperclass() instanceof ParameterizedType parent) {
            int index = List.of(declaring.getTypeParameters()).indexOf(variable);
            return parent.getActualTypeArguments()[index] instanceof Class<?> argument ? argument : null;
        }
        return null;
    }
}
