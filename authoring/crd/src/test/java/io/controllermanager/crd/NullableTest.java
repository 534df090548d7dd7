package io.controllermanager.crd;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.controllermanager.types.CustomObject;
import io.controllermanager.types.CustomResource;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.NullUnmarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A field is required unless an annotation says that it may be null, of whatever library and however long Java keeps it. */
class NullableTest {

    record JetBrains(
            @org.jetbrains.annotations.Nullable String a,
            @org.jetbrains.annotations.NotNull String b,
            String c,
            List<@org.jetbrains.annotations.Nullable String> d,
            @org.jetbrains.annotations.Nullable Map<String, List<@org.jetbrains.annotations.Nullable Integer>> e,
            Map<String, ? extends @org.jetbrains.annotations.Nullable Object> f,
            String @org.jetbrains.annotations.Nullable [] g) {}

    record Others(
            @CheckForNull String a,
            @edu.umd.cs.findbugs.annotations.Nullable String b,
            @javax.annotation.Nullable String c,
            @javax.annotation.Nonnull String d,
            @jakarta.annotation.Nullable String e,
            @org.jetbrains.annotations.Nullable @NotNull String f) {}

    @NullMarked
    record Marked(@Nullable String a, String b, byte @Nullable [] c, Inner<@Nullable String> d) {

        record Inner<T extends @Nullable Object>(T value, List<T> values) {}
    }

    @NullUnmarked
    record Unmarked(@Nullable String a, String b) {}

    static class Parent<T> {
        T value;
    }

    static final class OfSuperclass extends Parent<@org.jetbrains.annotations.Nullable String> {
        String own = "";
    }

    /** As beans have it. */
    static final class OfGetters {
        private String host = "";
        private int port;
        private boolean ready;

        @org.jetbrains.annotations.Nullable
        public String getHost() {
            return host;
        }

        public @Min(3) int getPort() {
            return port;
        }

        public @Nullable Boolean isReady() {
            return ready;
        }
    }

    @CustomResource(group = "example.com", version = "v1")
    static final class Nothing
            extends CustomObject<
                    @org.jetbrains.annotations.Nullable JetBrains, @org.jetbrains.annotations.Nullable Others> {}

    private static JsonElement schema(Class<?> type) {
        Problems problems = new Problems();
        Map<String, Object> schema = new Schemas(Comments.NONE, problems).ofObject(type);
        problems.tell();
        return new com.google.gson.Gson().toJsonTree(schema);
    }

    private static List<?> required(Class<?> type) {
        return new com.google.gson.Gson()
                .fromJson(schema(type).getAsJsonObject().get("required"), List.class);
    }

    private static JsonElement property(Class<?> type, String name) {
        return schema(type).getAsJsonObject().getAsJsonObject("properties").get(name);
    }

    @Test
    void isReadFromClassFilesWhereReflectionDoesNotShowIt() {
        assertThat(required(JetBrains.class)).isEqualTo(List.of("b", "c", "d", "f"));
        assertThat(property(JetBrains.class, "d"))
                .isEqualTo(JsonParser.parseString(
                        "{\"type\": \"array\", \"items\": {\"type\": \"string\", \"nullable\": true}}"));
        assertThat(property(JetBrains.class, "e")).isEqualTo(JsonParser.parseString("""
            {"type": "object", "additionalProperties": {"type": "array", "items":
            {"type": "integer", "format": "int32", "nullable": true}}}\
            """));
        assertThat(property(JetBrains.class, "f").toString()).contains("\"nullable\":true");
        assertThat(property(JetBrains.class, "g").toString()).doesNotContain("nullable");
    }

    @Test
    void isReadOfEachLibrary() {
        assertThat(required(Others.class)).isEqualTo(List.of("d", "f"));
        assertThat(required(Nothing.class)).isNull();
    }

    /** Neither of JSpecify's marks changes that a field is required unless it says otherwise. */
    @Test
    void isReadInMarkedAndUnmarkedCode() {
        assertThat(required(Marked.class)).isEqualTo(List.of("b", "d"));
        assertThat(required(Unmarked.class)).isEqualTo(List.of("b"));
        assertThat(property(Marked.class, "d")).isEqualTo(JsonParser.parseString("""
            {"type": "object", "required": ["values"], "properties": {"value": {"type": "string"},
            "values": {"type": "array", "items": {"type": "string", "nullable": true}}}}\
            """));
    }

    @Test
    void isReadOfSuperclassesAndGetters() {
        assertThat(required(OfSuperclass.class)).isEqualTo(List.of("own"));
        assertThat(required(OfGetters.class)).isEqualTo(List.of("port", "ready"));
        assertThat(property(OfGetters.class, "port").toString()).contains("\"minimum\":3");
    }

    record OfOptional(Optional<String> host) {}

    @Test
    void isNoMatterOfOptional() {
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> schema(OfOptional.class))
                .hasMessageContaining(".host: client-java's Gson does not read and write java.util.Optional");
    }
}
