package io.controllermanager.client.internal.json;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.TypeAdapter;
import com.google.gson.TypeAdapterFactory;
import com.google.gson.reflect.TypeToken;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonWriter;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.JSON;
import io.kubernetes.client.openapi.models.CoreV1Event;
import io.kubernetes.client.openapi.models.CoreV1EventSeries;
import io.kubernetes.client.openapi.models.EventsV1Event;
import io.kubernetes.client.openapi.models.EventsV1EventSeries;
import io.kubernetes.client.openapi.models.V1LeaseSpec;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1alpha2LeaseCandidateSpec;
import io.kubernetes.client.openapi.models.V1beta1LeaseCandidateSpec;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesObject;
import java.io.IOException;
import java.io.StringWriter;
import java.lang.reflect.Constructor;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Kubernetes JSON to and from client-java's classes (and any other class that Gson reads), in one pass.
 *
 * <p>client-java's own {@link JSON} registers an adapter for each model class that builds a tree, validates it and reads
 * it a second time, at every level of nesting; that is most of the time it takes. The API server has validated what it
 * sends and validates what it gets, so this reads and writes directly, with client-java's adapters for dates and bytes
 * and those that classes name by annotation ({@code IntOrString}). Fields that a class does not know
 * are skipped, as in Go.
 *
 * <p>Safe for use by several threads.
 */
public final class ApiJson {

    /** The models with fields of Go's {@code MicroTime}, which refuses a time without a fraction. */
    private static final Set<Class<?>> MICRO_TIMED = Set.of(
            V1LeaseSpec.class,
            V1alpha2LeaseCandidateSpec.class,
            V1beta1LeaseCandidateSpec.class,
            CoreV1Event.class,
            CoreV1EventSeries.class,
            EventsV1Event.class,
            EventsV1EventSeries.class);

    private static final String MODEL_PACKAGE = V1ObjectMeta.class.getPackageName();

    private static final Gson GSON = all(false);

    /** Writes as the other, and skips managedFields when it reads: about half of many an object. */
    private static final Gson WITHOUT_MANAGED_FIELDS = all(true);

    private ApiJson() {}

    /** The adapter of a class, to be kept by whoever reads many objects of it. */
    public static <T> TypeAdapter<T> adapter(Class<T> type) {
        return GSON.getAdapter(type);
    }

    /**
     * As {@link #adapter}, for whoever has no use for {@code metadata.managedFields}: they are not decoded but skipped.
     */
    public static <T> TypeAdapter<T> adapterWithoutManagedFields(Class<T> type) {
        return WITHOUT_MANAGED_FIELDS.getAdapter(type);
    }

    /** The object as the API server wants it: UTF-8, absent fields left out. */
    public static byte[] write(Object object) {
        // Of the Appendables Gson takes a Writer as it is, and wraps the others.
        StringWriter text = new StringWriter(1_024);
        WITHOUT_MANAGED_FIELDS.toJson(object, text);
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** The object as {@link #write} has it, as a tree of the caller's own; no object in it has a field that is null. */
    public static JsonElement tree(@Nullable Object object) {
        return WITHOUT_MANAGED_FIELDS.toJsonTree(
                object instanceof DynamicKubernetesObject dynamic ? dynamic.getRaw() : object);
    }

    /**
     * Reads one object.
     *
     * @throws IOException if the text ends early or is no JSON
     * @throws com.google.gson.JsonParseException if it does not fit the class
     */
    public static <T> T read(byte[] text, TypeAdapter<T> adapter) throws IOException {
        try (JsonReader reader = BytesJsonReader.of(text)) {
            return adapter.read(reader);
        }
    }

    /**
     * Reads one object from a tree that others read too; it shares nothing with the tree that can be changed.
     *
     * @throws com.google.gson.JsonParseException if it does not fit the class
     */
    public static <T> T read(JsonElement shared, TypeAdapter<T> adapter) {
        // No model has a field that is a tree. Other classes may, and would get a part of this one.
        return adapter.fromJsonTree(adapter instanceof ModelAdapter ? shared : shared.deepCopy());
    }

    /** A deep copy, for whoever wants to change an object that is shared. */
    public static <T> T copy(T object, Class<T> type) {
        return GSON.fromJson(GSON.toJsonTree(object, type), type);
    }

    private static Gson all(boolean skipManagedFields) {
        Gson microTimedModels = models(true, skipManagedFields, null);
        return builder(false, skipManagedFields)
                .registerTypeAdapterFactory(new ModelAdapters(models(false, skipManagedFields, microTimedModels)))
                .create();
    }

    private static Gson models(boolean microTimes, boolean skipManagedFields, @Nullable Gson microTimedModels) {
        // client-java's models begin with empty lists and maps where Go's begin with none.
        return builder(microTimes, skipManagedFields)
                .registerTypeAdapterFactory(new EmptyMeansAbsent())
                .registerTypeAdapterFactory(new Accessors(skipManagedFields, microTimedModels))
                .create();
    }

    private static GsonBuilder builder(boolean microTimes, boolean skipManagedFields) {
        return new GsonBuilder()
                .disableHtmlEscaping()
                .setObjectToNumberStrategy(JsonNumbers::read)
                .registerTypeAdapterFactory(new MapAdapters())
                .registerTypeHierarchyAdapter(DynamicKubernetesObject.class, new DynamicObjects(skipManagedFields))
                .registerTypeAdapter(Quantity.class, new QuantityAdapter().nullSafe())
                .registerTypeAdapter(LocalDate.class, new JSON.LocalDateTypeAdapter())
                .registerTypeAdapter(Date.class, new JSON.DateTypeAdapter())
                .registerTypeAdapter(OffsetDateTime.class, new MicroTimeAdapter(microTimes).nullSafe())
                .registerTypeAdapter(byte[].class, new JSON.ByteArrayAdapter());
    }

    /** Whether a value is a list or a map with nothing in it. */
    static boolean isEmpty(Object value) {
        return (value instanceof Collection<?> list && list.isEmpty())
                || (value instanceof Map<?, ?> map && map.isEmpty());
    }

    private static boolean isModel(Class<?> type) {
        return type.getPackageName().equals(MODEL_PACKAGE);
    }

    /**
     * Keeps what is done to client-java's models from users' own classes, where an empty list may be meant. These have dates as
     * Kubernetes writes them, which Gson does not, and Kotlin's defaults.
     */
    private record ModelAdapters(Gson models) implements TypeAdapterFactory {

        private static final Constructor<?>[] NONE = {};

        @Override
        public <T> @Nullable TypeAdapter<T> create(Gson gson, TypeToken<T> type) {
            Class<?> raw = type.getRawType();
            if (isModel(raw)) {
                return models.getAdapter(type);
            }
            for (Constructor<?> made :
                    raw.getClassLoader() == null || raw.isEnum() ? NONE : raw.getDeclaredConstructors()) {
                if (made.isSynthetic()
                        && made.toString().endsWith(",int,kotlin.jvm.internal.DefaultConstructorMarker)")) {
                    return new KotlinReader<>(
                            made, gson.getDelegateAdapter(this, type), gson.getAdapter(JsonElement.class));
                }
            }
            return null;
        }
    }

    /**
     * Reads and writes models by their accessors, without reflection where they have the form for it.
     *
     * @param microTimedModels writes the fraction that {@code MicroTime} demands, and spares all other times one; null for itself
     */
    private record Accessors(
            boolean skipManagedFields, @Nullable Gson microTimedModels) implements TypeAdapterFactory {

        @Override
        @SuppressWarnings("unchecked")
        public <T> @Nullable TypeAdapter<T> create(Gson gson, TypeToken<T> type) {
            Class<T> model = (Class<T>) type.getRawType();
            if (microTimedModels != null && MICRO_TIMED.contains(model)) {
                return microTimedModels.getAdapter(type);
            }
            Set<String> unread = skipManagedFields && model == V1ObjectMeta.class
                    ? Set.of(V1ObjectMeta.SERIALIZED_NAME_MANAGED_FIELDS)
                    : Set.of();
            return isModel(model) ? ModelAdapter.of(model, unread, gson) : null;
        }
    }

    /**
     * Leaves out empty lists and maps when a model is written, as Go's {@code omitempty} does. The API server refuses
     * some of them: {@code dependencies: {}} in a CRD's schema, for one.
     */
    private static final class EmptyMeansAbsent implements TypeAdapterFactory {

        @Override
        public <T> @Nullable TypeAdapter<T> create(Gson gson, TypeToken<T> type) {
            // Fields are declared as these; a free-form value within an object comes as some class of its own.
            if (type.getRawType() != List.class && type.getRawType() != Map.class) {
                return null;
            }
            TypeAdapter<T> delegate = gson.getDelegateAdapter(this, type);
            return new TypeAdapter<>() {
                @Override
                public void write(JsonWriter out, @Nullable T value) throws IOException {
                    if (value == null || isEmpty(value)) {
                        out.nullValue();
                    } else {
                        delegate.write(out, value);
                    }
                }

                @Override
                public T read(JsonReader in) throws IOException {
                    return delegate.read(in);
                }
            };
        }
    }
}
