package io.controllermanager.client.internal;

import java.lang.invoke.LambdaMetafactory;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Public constructors, getters and setters as lambdas, which the JVM calls like any other code. */
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
            handle = LOOKUP.findConstructor(owner, MethodType.methodType(void.class));
        } catch (NoSuchMethodException | IllegalAccessException e) {
            return null;
        }
        return (Supplier<T>) lambda(Supplier.class, "get", MethodType.methodType(Object.class), handle);
    }

    @SuppressWarnings("unchecked")
    static Function<Object, @Nullable Object> getter(Method getter) {
        return (Function<Object, @Nullable Object>)
                lambda(Function.class, "apply", MethodType.methodType(Object.class, Object.class), handle(getter));
    }

    @SuppressWarnings("unchecked")
    static BiConsumer<Object, @Nullable Object> setter(Method setter) {
        return (BiConsumer<Object, @Nullable Object>) lambda(
                BiConsumer.class,
                "accept",
                MethodType.methodType(void.class, Object.class, Object.class),
                handle(setter));
    }

    private static MethodHandle handle(Method method) {
        try {
            return LOOKUP.unreflect(method);
        } catch (IllegalAccessException e) {
            throw new IllegalArgumentException(method + " cannot be called", e);
        }
    }

    private static Object lambda(Class<?> form, String name, MethodType erased, MethodHandle handle) {
        try {
            return LambdaMetafactory.metafactory(
                            LOOKUP, name, MethodType.methodType(form), erased, handle, handle.type())
                    .getTarget()
                    .invoke();
        } catch (Throwable e) {
            // A public method of a public class: nothing that a caller could do better.
            throw new IllegalStateException(handle + " cannot become a " + form.getSimpleName(), e);
        }
    }
}
