package io.controllermanager.client.internal.json;

import com.google.gson.Gson;
import com.google.gson.TypeAdapter;
import com.google.gson.annotations.JsonAdapter;
import com.google.gson.annotations.SerializedName;
import com.google.gson.reflect.TypeToken;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One property of a model class. Its adapter, getter and setter are made when first needed, by several threads at once at
 * worst, all alike.
 */
final class ModelProperty {

    private final String name;
    private final Class<?> type;
    private final TypeToken<?> genericType;
    private final Method getterMethod;
    private final Method setterMethod;
    private final Gson gson;
    private volatile @Nullable TypeAdapter<Object> adapter;
    private volatile @Nullable Function<Object, @Nullable Object> getter;
    private volatile @Nullable BiConsumer<Object, @Nullable Object> setter;

    private ModelProperty(String name, Field field, Method getterMethod, Method setterMethod, Gson gson) {
        this.name = name;
        this.type = field.getType();
        this.genericType = TypeToken.get(field.getGenericType());
        this.getterMethod = getterMethod;
        this.setterMethod = setterMethod;
        this.gson = gson;
    }

    /** All properties in the order of the class's fields, null if one of them has not the form of a model's. */
    static @Nullable List<ModelProperty> of(Class<?> model, Gson gson) {
        if (model.getSuperclass() != Object.class || model.isAnnotationPresent(JsonAdapter.class)) {
            return null;
        }
        List<ModelProperty> properties = new ArrayList<>();
        for (Field field : model.getDeclaredFields()) {
            if (Modifier.isStatic(field.getModifiers()) || Modifier.isTransient(field.getModifiers())) {
                continue;
            }
            SerializedName serialized = field.getAnnotation(SerializedName.class);
            String accessor = Character.toUpperCase(bare(field.getName()).charAt(0))
                    + bare(field.getName()).substring(1);
            Method getter = ModelAccess.method(model, "get" + accessor, field.getType());
            Method setter = ModelAccess.method(model, "set" + accessor, void.class, field.getType());
            if (serialized == null
                    || field.isAnnotationPresent(JsonAdapter.class)
                    || field.getType().isPrimitive()
                    || getter == null
                    || setter == null) {
                return null;
            }
            properties.add(new ModelProperty(serialized.value(), field, getter, setter, gson));
        }
        return properties;
    }

    /** Without the underscore that sets fields apart from Java's keywords. */
    private static String bare(String fieldName) {
        return fieldName.startsWith("_") ? fieldName.substring(1) : fieldName;
    }

    String name() {
        return name;
    }

    void read(JsonReader in, Object model) throws IOException {
        BiConsumer<Object, @Nullable Object> set = setter;
        if (set == null) {
            set = ModelAccess.setter(setterMethod);
            setter = set;
        }
        set.accept(model, adapter().read(in));
    }

    void write(JsonWriter out, Object model) throws IOException {
        Function<Object, @Nullable Object> get = getter;
        if (get == null) {
            get = ModelAccess.getter(getterMethod);
            getter = get;
        }
        Object value = get.apply(model);
        // Most of a model's lists are empty: no adapter is made for what they could hold.
        if (value == null || ((type == List.class || type == Map.class) && ApiJson.isEmpty(value))) {
            if (out.getSerializeNulls()) {
                out.name(name).nullValue();
            }
            return;
        }
        out.name(name);
        writer(value).write(out, value);
    }

    /** A subclass is written with all its fields, as Gson does; a list's or map's own class does not matter. */
    @SuppressWarnings("unchecked")
    private TypeAdapter<Object> writer(Object value) {
        Class<?> actual = value.getClass();
        return actual == type || type.isInterface() || type == Object.class
                ? adapter()
                : (TypeAdapter<Object>) gson.getAdapter(actual);
    }

    @SuppressWarnings("unchecked")
    private TypeAdapter<Object> adapter() {
        TypeAdapter<Object> made = adapter;
        if (made == null) {
            made = (TypeAdapter<Object>) gson.getAdapter(genericType);
            adapter = made;
        }
        return made;
    }
}
