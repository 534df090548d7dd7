package io.controllermanager.crd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.fasterxml.jackson.annotation.JacksonAnnotationsInside;
import com.fasterxml.jackson.annotation.JsonAlias;
import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonClassDescription;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.annotation.JsonValue;
import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.annotations.Expose;
import com.google.gson.annotations.JsonAdapter;
import com.google.gson.annotations.SerializedName;
import io.controllermanager.client.internal.json.ApiJson;
import io.controllermanager.types.Doc;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.annotation.JsonNaming;
import tools.jackson.databind.annotation.JsonSerialize;
import tools.jackson.databind.ser.std.ToStringSerializer;

/** An annotation of another library is true of what Gson writes, or it is refused by a sentence that says what to write. */
class ForeignAnnotationsTest {

    record OtherName(@JsonProperty("host-name") String hostName) {}

    record Ignored(@JsonIgnore String secret) {}

    record DefaultValue(@JsonProperty(defaultValue = "1") int count) {}

    record ReadOnly(
            @JsonProperty(access = JsonProperty.Access.READ_ONLY)
            int count) {}

    record Alias(@JsonAlias("hostname") String host) {}

    record AllIncluded(
            @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> hosts) {}

    record Formatted(
            @JsonFormat(shape = JsonFormat.Shape.STRING) int count) {}

    record Inner(String a) {}

    record Unwrapped(@JsonUnwrapped Inner inner) {}

    record Serialized(
            @JsonSerialize(using = ToStringSerializer.class) int count) {}

    @JsonNaming(PropertyNamingStrategies.KebabCaseStrategy.class)
    record Named(String hostName) {}

    record OfNamed(Named named) {}

    @JsonIgnoreProperties("secret")
    record IgnoredOfClass(String secret) {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    @JsonSubTypes(@JsonSubTypes.Type(Inner.class))
    static class Sub {
        String a = "";
    }

    static class Any {
        String a = "";
        private final transient Map<String, Object> rest = new HashMap<>();

        @JsonAnyGetter
        Map<String, Object> rest() {
            return rest;
        }

        @JsonAnySetter
        void add(String name, Object value) {
            rest.put(name, value);
        }
    }

    enum Valued {
        A;

        @JsonValue
        String wire() {
            return "a";
        }
    }

    record OfValued(Valued valued) {}

    enum Renamed {
        @JsonProperty("read-only")
        READ_ONLY
    }

    record OfRenamed(List<Renamed> renamed) {}

    static class Bean {
        private String host = "";

        @JsonProperty("host-name")
        public String getHost() {
            return host;
        }
    }

    static class Setter {
        private String host = "";

        @JsonIgnore
        public void setHost(String host) {
            this.host = host;
        }
    }

    static class Computed {
        String host = "";

        @JsonProperty
        String getUrl() {
            return "https://" + host;
        }
    }

    static class Constructed {
        final String host;

        @JsonCreator
        Constructed(@JsonProperty("host-name") String name) {
            host = name;
        }
    }

    @Retention(RetentionPolicy.RUNTIME)
    @JacksonAnnotationsInside
    @JsonIgnore
    @interface Hidden {}

    record OfSeveral(@Hidden String secret) {}

    record Adapted(@JsonAdapter(Upper.class) String host) {}

    static class Upper extends com.google.gson.TypeAdapter<String> {

        @Override
        public void write(com.google.gson.stream.JsonWriter out, String value) {
            throw new UnsupportedOperationException();
        }

        @Override
        public String read(com.google.gson.stream.JsonReader in) {
            throw new UnsupportedOperationException();
        }
    }

    record Exposed(@Expose(serialize = false) String host) {}

    record Fabric8(@io.fabric8.generator.annotation.Required String host) {}

    record Fabric8Default(
            @io.fabric8.generator.annotation.Default("a") String host) {}

    record Fabric8Column(
            @io.fabric8.crd.generator.annotation.PrinterColumn
            String host) {}

    interface HasSecret {

        @JsonIgnore
        String secret();
    }

    record Implementing(String secret) implements HasSecret {}

    /** As Kotlin names what belongs to {@code var isReady}. */
    static class Ready {
        private boolean isReady;

        @JsonIgnore
        public boolean isReady() {
            return isReady;
        }
    }

    static class ReadySetter {
        private boolean isReady;

        @JsonIgnore
        public void setReady(boolean ready) {
            isReady = ready;
        }
    }

    record OfItems(List<@io.fabric8.generator.annotation.Min(1) Integer> counts) {}

    static class Holder<T> {
        T value;
    }

    static class OfVariable extends Holder<@io.fabric8.generator.annotation.Min(1) Integer> {}

    static Stream<Arguments> refused() {
        String name = "write Gson's @SerializedName with the one name on the wire, and @Default for a default";
        return Stream.of(
                arguments(OtherName.class, ".hostName: @JsonProperty", name),
                arguments(DefaultValue.class, ".count: @JsonProperty", name),
                arguments(ReadOnly.class, ".count: @JsonProperty", name),
                arguments(Bean.class, ".host: @JsonProperty", name),
                arguments(Computed.class, ": @JsonProperty at getUrl()", name),
                arguments(Constructed.class, ": @JsonProperty at the constructor", name),
                arguments(OfNamed.class, ".named: @JsonNaming", name),
                arguments(Alias.class, ".host: @JsonAlias", name),
                arguments(OfRenamed.class, ".renamed[]: @JsonProperty at READ_ONLY", name),
                arguments(Ignored.class, ".secret: @JsonIgnore", "make a field transient to leave it out"),
                arguments(Setter.class, ".host: @JsonIgnore", "make a field transient"),
                arguments(Implementing.class, ".secret: @JsonIgnore", "make a field transient"),
                arguments(Ready.class, ".isReady: @JsonIgnore", "make a field transient"),
                arguments(ReadySetter.class, ".isReady: @JsonIgnore", "make a field transient"),
                arguments(OfSeveral.class, ".secret: @JsonIgnore in @Hidden", "make a field transient"),
                arguments(IgnoredOfClass.class, ": @JsonIgnoreProperties", "make a field transient"),
                arguments(Exposed.class, ".host: @Expose", "make a field transient"),
                arguments(OfValued.class, ".valued: @JsonValue at wire()", "@SerializedName at each constant"),
                arguments(AllIncluded.class, ".hosts: @JsonInclude", "Gson writes all values but null"),
                arguments(Unwrapped.class, ".inner: @JsonUnwrapped", "declare the fields themselves"),
                arguments(Sub.class, ": @JsonTypeInfo", "declare the fields themselves"),
                arguments(Sub.class, ": @JsonSubTypes", "declare the fields themselves"),
                arguments(Any.class, ": @JsonAnyGetter at rest()", "declare the fields themselves"),
                arguments(Any.class, ": @JsonAnySetter at add()", "declare the fields themselves"),
                arguments(Formatted.class, ".count: @JsonFormat", "declare the field as what is on the wire"),
                arguments(Serialized.class, ".count: @JsonSerialize", "declare the field as what is on the wire"),
                arguments(Adapted.class, ".host: @JsonAdapter", "declare the field as what is on the wire"),
                arguments(Fabric8.class, ".host: @Required", "write the one of jakarta.validation.constraints"),
                arguments(OfItems.class, ".counts[]: @Min", "write the one of jakarta.validation.constraints"),
                arguments(OfVariable.class, ".value: @Min", "write the one of jakarta.validation.constraints"),
                arguments(Fabric8Default.class, ".host: @Default", "write what io.controllermanager.types has"),
                arguments(Fabric8Column.class, ".host: @PrinterColumn", "write what io.controllermanager.types has"));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void isRefusedWhereTheWireWouldBeAnother(Class<?> type, String place, String instead) {
        assertThatThrownBy(() -> schema(type))
                .isInstanceOf(InvalidTypeException.class)
                .message()
                .satisfies(message -> assertThat(message.lines())
                        .anySatisfy(line -> assertThat(line)
                                .startsWith(type.getName() + (place.startsWith(".") ? ": " : "") + place)
                                .contains("means nothing to Gson")
                                .contains(instead)));
    }

    /** What the wire has is told once, though a record has the annotation at its field, its accessor and its parameter. */
    @Test
    void isToldOnce() {
        assertThatThrownBy(() -> schema(OtherName.class)).message().hasLineCount(1);
    }

    enum Level {
        @SerializedName("low")
        @JsonProperty("low")
        LOW,
        HIGH
    }

    @JsonClassDescription("Harmless, all of it.")
    @JsonPropertyOrder({"level", "host-name"})
    @JsonIgnoreProperties(ignoreUnknown = true)
    @JsonInclude(JsonInclude.Include.NON_NULL)
    static final class Harmless {

        @JsonProperty("host-name")
        @SerializedName("host-name")
        @JsonPropertyDescription("Where it is served.")
        final String hostName;

        @JsonProperty(required = true)
        @Nullable
        final Level level;

        @JsonIgnore
        final transient String cached;

        @JsonIgnore(false)
        @io.fabric8.generator.annotation.Nullable
        @Doc("How many.")
        final Integer count;

        @JsonCreator
        Harmless(@JsonProperty("host-name") String hostName, @JsonProperty("level") Level level, Integer count) {
            this.hostName = hostName;
            this.level = level;
            this.count = count;
            this.cached = "";
        }
    }

    @Test
    void isTrueOfTheSchemaAndOfTheWire() {
        JsonObject schema = schema(Harmless.class).getAsJsonObject();

        assertThat(schema.get("description").getAsString()).isEqualTo("Harmless, all of it.");
        assertThat(schema.getAsJsonArray("required").toString()).isEqualTo("[\"host-name\",\"level\"]");
        JsonObject properties = schema.getAsJsonObject("properties");
        assertThat(properties.getAsJsonObject("host-name").get("description").getAsString())
                .isEqualTo("Where it is served.");
        assertThat(properties.getAsJsonObject("count").get("description").getAsString())
                .isEqualTo("How many.");
        assertThat(properties.getAsJsonObject("level").get("enum").toString()).isEqualTo("[\"low\",\"HIGH\"]");

        Map<String, JsonElement> wire = new LinkedHashMap<>(
                ApiJson.tree(new Harmless("a", Level.LOW, 1)).getAsJsonObject().asMap());
        assertThat(properties.keySet()).containsAll(wire.keySet());
        assertThat(wire.keySet()).containsExactlyInAnyOrder("host-name", "level", "count");
        assertThat(wire.get("level").getAsString()).isEqualTo("low");
    }

    private static JsonElement schema(Class<?> type) {
        Problems problems = new Problems();
        Map<String, Object> schema = new Schemas(Comments.NONE, problems).ofObject(type);
        problems.tell();
        return new Gson().toJsonTree(schema);
    }
}
