package io.controllermanager.client.internal.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonParser;
import com.google.gson.TypeAdapter;
import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.JSON;
import io.kubernetes.client.openapi.models.V1JSONSchemaProps;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** All of client-java's models, read and written by us as by Gson through reflection. */
class ModelAdapterTest {

    private static final String MODELS = V1ObjectMeta.class.getPackageName();

    /** A depth at which recursive models such as a CRD's schema end. */
    private static final int DEPTH = 3;

    private static final Gson REFLECTIVE = new GsonBuilder()
            .disableHtmlEscaping()
            .registerTypeAdapter(OffsetDateTime.class, new JSON.OffsetDateTimeTypeAdapter())
            .registerTypeAdapter(byte[].class, new JSON.ByteArrayAdapter())
            .create();

    @TestFactory
    Stream<DynamicTest> everyModelIsWrittenAndReadAsByReflection() throws Exception {
        return models().stream().map(model -> DynamicTest.dynamicTest(model.getSimpleName(), () -> compare(model)));
    }

    /** Else the test above would compare Gson with itself. */
    @Test
    void almostEveryModelHasTheFormThatGoesWithoutReflection() throws Exception {
        assertThat(models()).hasSizeGreaterThan(600);
        // Its $ref and $schema have accessors of another form, and it is read seldom.
        assertThat(models())
                .filteredOn(model -> ModelAdapter.of(model, Set.of(), REFLECTIVE) == null)
                .containsExactly(V1JSONSchemaProps.class);
    }

    private static <T> void compare(Class<T> model) throws Exception {
        T full = model.cast(sample(model, DEPTH));
        TypeAdapter<T> adapter = ApiJson.adapter(model);

        String written = new String(ApiJson.write(full), StandardCharsets.UTF_8);

        assertThat(JsonParser.parseString(written)).isEqualTo(REFLECTIVE.toJsonTree(full));
        // By way of their trees: arrays of bytes within two objects are never equal.
        assertThat(REFLECTIVE.toJsonTree(read(written, adapter)))
                .isEqualTo(REFLECTIVE.toJsonTree(REFLECTIVE.fromJson(written, model)));
        assertThat(read("{\"unheard-of\":[{}]}", adapter)).isEqualTo(REFLECTIVE.fromJson("{}", model));
    }

    private static <T> T read(String text, TypeAdapter<T> adapter) throws IOException {
        return ApiJson.read(text.getBytes(StandardCharsets.UTF_8), adapter);
    }

    /** An object with something in each field. */
    private static Object sample(Type type, int depth) throws ReflectiveOperationException {
        if (type instanceof ParameterizedType generic) {
            Type[] arguments = generic.getActualTypeArguments();
            return generic.getRawType() == List.class
                    ? List.of(sample(arguments[0], depth))
                    : Map.of("key", sample(arguments[1], depth));
        }
        Class<?> simple = (Class<?>) type;
        if (simple == String.class || simple == Object.class) {
            return "<text> \u2028 \"quoted\"";
        } else if (simple == Integer.class) {
            return 7;
        } else if (simple == Long.class) {
            return 1L << 40;
        } else if (simple == Double.class) {
            return 0.5;
        } else if (simple == Boolean.class) {
            return true;
        } else if (simple == byte[].class) {
            return new byte[] {0, -1};
        } else if (simple == OffsetDateTime.class) {
            return OffsetDateTime.parse("2026-01-02T03:04:05.123456Z");
        } else if (simple == IntOrString.class) {
            return new IntOrString("25%");
        } else if (simple == Quantity.class) {
            return Quantity.fromString("100m");
        }
        Object model = simple.getDeclaredConstructor().newInstance();
        for (Field field : simple.getDeclaredFields()) {
            if (!Modifier.isStatic(field.getModifiers())) {
                field.setAccessible(true);
                boolean wanted = depth > 0 || field.getType() == String.class;
                field.set(model, wanted ? sample(field.getGenericType(), depth - 1) : null);
            }
        }
        return model;
    }

    private static List<Class<?>> models() throws IOException, URISyntaxException {
        URI jar = V1ObjectMeta.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI();
        try (JarFile file = new JarFile(Path.of(jar).toFile())) {
            return file.stream()
                    .map(entry -> entry.getName().replace('/', '.'))
                    .filter(name -> name.startsWith(MODELS + ".") && name.endsWith(".class") && !name.contains("$"))
                    .map(name -> loaded(name.substring(0, name.length() - ".class".length())))
                    .filter(model -> !Modifier.isAbstract(model.getModifiers()))
                    .<Class<?>>map(model -> model)
                    .toList();
        }
    }

    private static Class<?> loaded(String name) {
        try {
            return Class.forName(name);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }
}
