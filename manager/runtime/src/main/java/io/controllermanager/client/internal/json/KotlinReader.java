package io.controllermanager.client.internal.json;

import com.google.gson.JsonElement;
import com.google.gson.TypeAdapter;
import com.google.gson.annotations.SerializedName;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Has a Kotlin class fill in what is absent from JSON, where Gson leaves null or 0. For defaults Kotlin's compiler makes a
 * constructor that takes, after all parameters, an int for each 32 of them, with a bit for each that is absent, and a marker.
 */
final class KotlinReader<T> extends TypeAdapter<T> {

    private final TypeAdapter<T> delegate;
    private final TypeAdapter<JsonElement> trees;
    private final Constructor<T> constructor;
    private final Field[] fields;

    @SuppressWarnings("unchecked") // a constructor of the class
    KotlinReader(Constructor<?> constructor, TypeAdapter<T> delegate, TypeAdapter<JsonElement> trees) {
        this.delegate = delegate;
        this.trees = trees;
        this.constructor = (Constructor<T>) constructor;
        constructor.setAccessible(true);
        // Those of the class itself come first, as the parameters do.
        fields = Stream.<Class<?>>iterate(
                        constructor.getDeclaringClass(), type -> type != Object.class, Class::getSuperclass)
                .flatMap(type -> Stream.of(type.getDeclaredFields()))
                .filter(field -> !Modifier.isStatic(field.getModifiers()) && !field.isSynthetic())
                .toArray(Field[]::new);
        Stream.of(fields).forEach(field -> field.setAccessible(true));
    }

    @Override
    public @Nullable T read(JsonReader in) throws IOException {
        JsonElement tree = trees.read(in);
        T read = delegate.fromJsonTree(tree);
        return read == null || !tree.isJsonObject() ? read : filledIn(read, tree);
    }

    /** The object made anew by the constructor; the one that was read where its class refuses it, as Gson asks no class. */
    private T filledIn(T read, JsonElement tree) {
        int taken = (constructor.getParameterCount() - 1) * Integer.SIZE / (Integer.SIZE + 1);
        Object[] arguments = new Object[constructor.getParameterCount()];
        Arrays.fill(arguments, taken, arguments.length - 1, 0);
        try {
            for (int i = 0; i < taken; i++) {
                arguments[i] = fields[i].get(read);
                int bits = taken + i / Integer.SIZE;
                arguments[bits] = (int) arguments[bits] | (isAbsent(fields[i], tree) ? 1 << i % Integer.SIZE : 0);
            }
            T made = constructor.newInstance(arguments);
            for (Field field : fields) {
                if (!isAbsent(field, tree)) {
                    field.set(made, field.get(read));
                }
            }
            return made;
        } catch (ReflectiveOperationException | IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
            return read;
        }
    }

    private static boolean isAbsent(Field field, JsonElement tree) {
        SerializedName given = field.getAnnotation(SerializedName.class);
        return !tree.getAsJsonObject().has(given == null ? field.getName() : given.value());
    }

    @Override
    public void write(JsonWriter out, @Nullable T value) throws IOException {
        delegate.write(out, value);
    }
}
