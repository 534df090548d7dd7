package io.controllermanager.types;

import java.io.Serializable;
import java.lang.invoke.SerializedLambda;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Changed copies of records, such as those that specs and statuses are. */
public final class Records {

    private Records() {}

    /**
     * A component of a record, named by its accessor.
     *
     * @param <R> the record
     * @param <V> the component's type
     */
    public interface Component<R extends Record, V extends @Nullable Object> extends Function<R, V>, Serializable {}

    /**
     * A copy of a record with another value in one component:
     *
     * <pre>{@code
     * status = Records.with(status, Status::endpoint, "orders.shop.svc");
     * }</pre>
     *
     * @param component a reference to the accessor
     * @throws IllegalArgumentException if it is no reference to an accessor of the record
     */
    public static <R extends Record, V extends @Nullable Object> R with(R record, Component<R, V> component, V value) {
        String name = nameOf(component);
        RecordComponent[] all = record.getClass().getRecordComponents();
        Class<?>[] types = new Class<?>[all.length];
        @Nullable Object[] values = new @Nullable Object[all.length];
        boolean found = false;
        try {
            for (int i = 0; i < all.length; i++) {
                types[i] = all[i].getType();
                Method accessor = all[i].getAccessor();
                accessor.setAccessible(true);
                boolean changes = all[i].getName().equals(name);
                values[i] = changes ? value : accessor.invoke(record);
                found |= changes;
            }
            if (!found) {
                throw new IllegalArgumentException("component must be an accessor of "
                        + record.getClass().getName() + ", such as Status::phase, but is " + name);
            }
            var constructor = record.getClass().getDeclaredConstructor(types);
            constructor.setAccessible(true);
            @SuppressWarnings("unchecked") // A record's class has no subclass.
            R copy = (R) constructor.newInstance(values);
            return copy;
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException(
                    record.getClass().getName() + " cannot be copied: " + (e.getCause() == null ? e : e.getCause()), e);
        }
    }

    /** A serializable lambda says which method it stands for. */
    private static String nameOf(Component<?, ?> component) {
        try {
            Method replace = component.getClass().getDeclaredMethod("writeReplace");
            replace.setAccessible(true);
            return ((SerializedLambda) replace.invoke(component)).getImplMethodName();
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException("component must be a reference such as Status::phase", e);
        }
    }
}
