package io.controllermanager.reconciler;

import com.google.gson.JsonElement;
import com.google.gson.annotations.SerializedName;
import io.controllermanager.client.internal.json.TypeArguments;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesObject;
import java.lang.reflect.Field;
import java.lang.reflect.TypeVariable;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Tells what classes of an author declare: which class a reconciler is for, and what the status of an object has, under the names
 * that it has in JSON.
 */
final class DeclaredClass {

    private DeclaredClass() {}

    /** Whether objects of a class may have a status: the class has that field, and not of the type Void, or holds any JSON. */
    static boolean mayHaveStatus(Class<?> objectClass) {
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
        return mayHaveStatus(objectClass) && (open || hasField(objectClass, "conditions"));
    }

    /** Whether the status of objects of a class has a field of that name. False if it has no class of its own. */
    static boolean hasField(Class<?> objectClass, String name) {
        return field(statusClass(objectClass), name) != null;
    }

    private static @Nullable Class<?> statusClass(Class<?> objectClass) {
        Field field = field(objectClass, "status");
        if (field == null) {
            return null;
        }
        return field.getGenericType() instanceof TypeVariable<?> variable
                ? TypeArguments.of(objectClass, variable)
                : field.getGenericType() instanceof Class<?> known ? known : null;
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

    /** The class of the objects that a reconciler says that it reconciles; null if it says none, as a lambda or a proxy. */
    static @Nullable Class<?> ofReconciled(Class<?> reconciler) {
        return TypeArguments.of(reconciler, ObjectReconciler.class.getTypeParameters()[0]);
    }
}
