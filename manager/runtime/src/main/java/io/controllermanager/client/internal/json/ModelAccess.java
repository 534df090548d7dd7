package io.controllermanager.client.internal.json;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Public constructors, getters and setters as method handles. A lambda of each would be a class of its own, some hundreds of
 * them at start. The JVM makes a class for a handle by itself, once that has been called often.
 */
final class ModelAccess {

    private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();

    private ModelAccess() {}

    /** The public method with just this signature, null if there is none. */
    static @Nullable Method method(Class<?> owner, String name, Class<?> returned, Class<?>... parameters) {
        try {
            Method method = owner.getMethod(name, parameters);
            return method.getReturnType() == returned ? method : null;
        } catch (NoSuchMethodException e) {
            return null;
        }
    }

    /** The constructor without parameters, null if there is none that is public. */
    @SuppressWarnings("unchecked")
    static <T> @Nullable Supplier<T> constructor(Class<T> owner) {
        MethodHandle handle;
        try {
            handle = LOOKUP.findConstructor(owner, MethodType.methodType(void.class))
                    .asType(MethodType.methodType(Object.class));
        } catch (NoSuchMethodException | IllegalAccessException e) {
            return null;
        }
        return () -> {
            try {
                return (T) handle.invokeExact();
            } catch (Throwable e) {
                throw unchecked(e);
            }
        };
    }

    static Function<Object, @Nullable Object> getter(Method getter) {
        MethodHandle handle = handle(getter, MethodType.methodType(Object.class, Object.class));
        return model -> {
            try {
                return (Object) handle.invokeExact(model);
            } catch (Throwable e) {
                throw unchecked(e);
            }
        };
    }

    static BiConsumer<Object, @Nullable Object> setter(Method setter) {
        MethodHandle handle = handle(setter, MethodType.methodType(void.class, Object.class, Object.class));
        return (model, value) -> {
            try {
                handle.invokeExact(model, value);
            } catch (Throwable e) {
                throw unchecked(e);
            }
        };
    }

    private static MethodHandle handle(Method method, MethodType erased) {
        try {
            return LOOKUP.unreflect(method).asType(erased);
        } catch (IllegalAccessException e) {
            throw new IllegalArgumentException(method + " cannot be called", e);
        }
    }

    /** The models declare no exceptions. */
    private static RuntimeException unchecked(Throwable e) {
        if (e instanceof Error error) {
            throw error;
        }
        return e instanceof RuntimeException exception ? exception : new IllegalStateException(e);
    }
}
