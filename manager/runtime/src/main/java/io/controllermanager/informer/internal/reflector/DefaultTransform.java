package io.controllermanager.informer.internal.reflector;

import io.controllermanager.client.ResourceType;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.function.Consumer;
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
public final class DefaultTransform<T extends KubernetesObject> implements UnaryOperator<T> {

    private final Consumer<KubernetesObject> setApiVersion;
    private final Consumer<KubernetesObject> setKind;
    private final boolean dropManagedFields;
    private final SharedStrings strings;

    /**
     * For one type.
     *
     * @param type null where only the class is known: apiVersion and kind then stay as they come
     */
    public DefaultTransform(
            Class<T> objectClass, @Nullable ResourceType<T> type, boolean dropManagedFields, SharedStrings strings) {
        this.setApiVersion = type == null ? object -> {} : setter(objectClass, "setApiVersion", type.apiVersion());
        this.setKind = type == null ? object -> {} : setter(objectClass, "setKind", type.kind());
        this.dropManagedFields = dropManagedFields;
        this.strings = strings;
    }

    private static Consumer<KubernetesObject> setter(Class<?> objectClass, String name, String value) {
        MethodHandle setter;
        try {
            setter = MethodHandles.publicLookup()
                    .findVirtual(objectClass, name, MethodType.methodType(void.class, String.class))
                    .asType(MethodType.methodType(void.class, KubernetesObject.class, String.class));
        } catch (NoSuchMethodException | IllegalAccessException e) {
            // The class keeps no kind, or keeps it from us: it stays as decoded.
            return object -> {};
        }
        return object -> {
            try {
                setter.invokeExact(object, value);
            } catch (RuntimeException | Error e) {
                throw e;
            } catch (Throwable e) {
                throw new IllegalStateException(e);
            }
        };
    }

    @Override
    public T apply(T object) {
        setApiVersion.accept(object);
        setKind.accept(object);
        V1ObjectMeta metadata = object.getMetadata();
        if (metadata != null) {
            if (dropManagedFields) {
                metadata.setManagedFields(null);
            }
            strings.share(metadata);
        }
        return object;
    }
}
