package io.controllermanager.reconciler;

import com.google.gson.JsonElement;
import com.google.gson.annotations.SerializedName;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesObject;
import java.lang.reflect.Field;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Tells what the class of an object's status declares, under the names that it has in JSON. */
final class StatusShape {

    private StatusShape() {}

    /** Whether objects of a class may have a status: the class has that field, and not of the type Void, or holds any JSON. */
    static boolean mayBeThere(Class<?> objectClass) {
        return DynamicKubernetesObject.class.isAssignableFrom(objectClass)
                || (field(objectClass, "status") != null && statusClass(objectClass) != Void.class);
    }

    /** Whether a status may have conditions. One whose class is not known, or holds any JSON, may. */
    static boolean mayHaveConditions(Class<?> objectClass) {
        Class<?> status = statusClass(objectClass);
        boolean open = status == null
                || status.isInterface()
                || status == Object.class
                || JsonElement.class.isAssignableFrom(status)
                || Map.class.isAssignableFrom(status);
        return mayBeThere(objectClass) && (open || hasField(objectClass, "conditions"));
    }

    /** Whether the status of objects of a class has a field of that name. False if it has no class of its own. */
    static boolean hasField(Class<?> objectClass, String name) {
        return field(statusClass(objectClass), name) != null;
    }

    private static @Nullable Class<?> statusClass(Class<?> objectClass) {
        Field field = field(objectClass, "status");
        return field == null ? null : resolve(field.getGenericType(), objectClass, field.getDeclaringClass());
    }

    private static @Nullable Field field(@Nullable Class<?> type, String name) {
        for (Class<?> at = type; at != null && at != Object.class; at = at.getSuperclass()) {
            for (Field field : at.getDeclaredFields()) {
                SerializedName given = field.getAnnotation(SerializedName.class);
                if (name.equals(given == null ? field.getName() : given.value())) {
                    return field;
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
