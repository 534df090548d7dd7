package io.controllermanager.informer.internal;

import io.controllermanager.client.ResourceType;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What is done to every object before it is stored, as controller-runtime's {@code cache.Options.DefaultTransform}. The API
 * server leaves out apiVersion and kind of a list's items. They are put back where the type is known, so that an object is
 * the same whether a list or a watch brought it, and Events about it can name it. Where only a class and a URL are known, a
 * list's items stay without. Strings of its metadata that other objects have as well are shared with them.
 *
 * @param <T> the object's class
 */
final class DefaultTransform<T extends KubernetesObject> implements UnaryOperator<T> {

    private final @Nullable String apiVersion;
    private final @Nullable String kind;
    private final @Nullable MethodHandle setApiVersion;
    private final @Nullable MethodHandle setKind;
    private final boolean dropManagedFields;
    private final SharedStrings strings;

    /**
     * For one type.
     *
     * @param type null where only the class is known: apiVersion and kind then stay as they come
     */
    DefaultTransform(
            Class<T> objectClass, @Nullable ResourceType<T> type, boolean dropManagedFields, SharedStrings strings) {
        this.apiVersion = type == null ? null : type.apiVersion();
        this.kind = type == null ? null : type.kind();
        this.setApiVersion = type == null ? null : setter(objectClass, "setApiVersion");
        this.setKind = type == null ? null : setter(objectClass, "setKind");
        this.dropManagedFields = dropManagedFields;
        this.strings = strings;
    }

    private static @Nullable MethodHandle setter(Class<?> objectClass, String name) {
        try {
            return MethodHandles.publicLookup()
                    .findVirtual(objectClass, name, MethodType.methodType(void.class, String.class))
                    .asType(MethodType.methodType(void.class, KubernetesObject.class, String.class));
        } catch (NoSuchMethodException | IllegalAccessException e) {
            // The class keeps no kind, or keeps it from us: it stays as decoded.
            return null;
        }
    }

    @Override
    public T apply(T object) {
        set(setApiVersion, object, apiVersion);
        set(setKind, object, kind);
        V1ObjectMeta metadata = object.getMetadata();
        if (metadata != null) {
            if (dropManagedFields) {
                metadata.setManagedFields(null);
            }
            strings.share(metadata);
        }
        return object;
    }

    private static void set(@Nullable MethodHandle setter, KubernetesObject object, @Nullable String value) {
        if (setter == null || value == null) {
            return;
        }
        try {
            setter.invokeExact(object, value);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }
}
