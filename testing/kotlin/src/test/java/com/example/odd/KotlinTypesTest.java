package com.example.odd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.controllermanager.client.internal.json.ApiJson;
import io.controllermanager.crd.Comments;
import io.controllermanager.crd.CustomResourceDefinition;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What classes of Kotlin become in a schema, and that the wire agrees with it. */
class KotlinTypesTest {

    private static JsonObject spec(Class<?> type) {
        return new Gson()
                .toJsonTree(CustomResourceDefinition.of(List.of(type), Comments.NONE)
                        .get(0)
                        .content())
                .getAsJsonObject()
                .getAsJsonObject("spec")
                .getAsJsonArray("versions")
                .get(0)
                .getAsJsonObject()
                .getAsJsonObject("schema")
                .getAsJsonObject("openAPIV3Schema")
                .getAsJsonObject("properties")
                .getAsJsonObject("spec")
                .getAsJsonObject("properties");
    }

    private static JsonElement json(String text) {
        return JsonParser.parseString(text);
    }

    private static <T> T read(String text, Class<T> type) throws IOException {
        return ApiJson.read(text.getBytes(StandardCharsets.UTF_8), ApiJson.adapter(type));
    }

    @Test
    void requiresWhatIsNeitherNullableNorHasADefault() {
        JsonObject spec = spec(FineObject.class);

        assertThat(spec.getAsJsonObject("fine").get("required"))
                .isEqualTo(
                        json("[\"ofField\", \"ofGetter\", \"ofParameter\", \"box\", \"array\", \"numbers\", \"open\","
                                + " \"late\"]"));
        assertThat(spec.getAsJsonObject("derived").get("required")).isEqualTo(json("[\"own\", \"more\"]"));
        assertThat(spec.getAsJsonObject("all").has("required")).isFalse();
        assertThat(spec.getAsJsonObject("body").get("required")).isEqualTo(json("[\"port\"]"));
    }

    @Test
    void readsNestedTypesAndAnnotationsWhereverTheyStand() {
        JsonObject fine = spec(FineObject.class).getAsJsonObject("fine").getAsJsonObject("properties");

        assertThat(fine.keySet())
                .containsExactlyInAnyOrder(
                        "ofField",
                        "ofGetter",
                        "ofParameter",
                        "other-name",
                        "box",
                        "array",
                        "numbers",
                        "open",
                        "isReady",
                        "any",
                        "late",
                        "begun",
                        "inside");
        for (String name : List.of("ofField", "ofGetter", "ofParameter")) {
            assertThat(fine.getAsJsonObject(name).has("minimum")).as(name).isTrue();
        }
        assertThat(fine.get("box")).isEqualTo(json("""
            {"type": "object", "required": ["values"], "properties": {"value": {"type": "string"},
            "values": {"type": "array", "items": {"type": "string", "nullable": true}}}}\
            """));
        assertThat(fine.get("array"))
                .isEqualTo(json("{\"type\": \"array\", \"items\": {\"type\": \"string\", \"nullable\": true}}"));
    }

    @Test
    void refusesWhatGsonReadsOtherwiseThanKotlin() {
        assertThatThrownBy(() -> spec(Refused.class))
                .message()
                .satisfies(message -> assertThat(
                                message.lines().map(line -> line.replaceFirst("com.example.odd.Refused: ", "")))
                        .satisfiesExactlyInAnyOrder(
                                line -> assertThat(line).startsWith(".spec.id: com.example.odd.Id is a value class"),
                                line -> assertThat(line).startsWith(".spec.ids: com.example.odd.Id is a value class"),
                                line -> assertThat(line).startsWith(".spec.unsigned: kotlin.UInt is a value class"),
                                line -> assertThat(line).startsWith(".spec.shape: client-java's Gson does not read"),
                                line -> assertThat(line)
                                        .startsWith(".spec.single: com.example.odd.Single is an object"),
                                line -> assertThat(line)
                                        .startsWith(".spec.sized: @Size at a type argument is in class files only if"),
                                line -> assertThat(line).startsWith(".spec.named: @JsonProperty means nothing to Gson"),
                                line -> assertThat(line).startsWith(".spec.ignored: @JsonIgnore means nothing to Gson"),
                                line -> assertThat(line).startsWith(".spec.action: client-java's Gson does not read"),
                                line -> assertThat(line).startsWith(".spec.pair: client-java's Gson does not read"),
                                line -> assertThat(line).startsWith(".spec.half.start: its default in Kotlin is found"),
                                line -> assertThat(line).startsWith(".spec.half.to: its default in Kotlin is found"),
                                line -> assertThat(line).startsWith(".spec.lazily$delegate: client-java's Gson does")));
    }

    @Test
    void warnsOfFieldsThatNothingDescribes() {
        CustomResourceDefinition crd = CustomResourceDefinition.of(List.of(NoSpec.class), Comments.NONE)
                .get(0);

        assertThat(crd.warnings())
                .containsExactly("com.example.odd.NoSpec: kubectl explain has no word of .spec.undescribed,"
                        + " .status.undescribed; write documentation comments, or @Doc where there is no Java source");
        assertThat(crd.yaml()).contains("description: Described.").doesNotContain("- spec");
    }

    /** Gson alone leaves them at null and 0. */
    @Test
    void readsDefaultsWhereJsonHasNothing() throws IOException {
        Many many = read("{\"last\": \"z\", \"a1\": 7}", Many.class);

        assertThat(new Gson()
                        .toJsonTree(many).getAsJsonObject().asMap().values().stream()
                                .map(JsonElement::getAsString))
                .startsWith("0", "7", "2")
                .contains("31", "32", "z")
                .endsWith("34")
                .hasSize(35);
        assertThat(read("{}", AllDefaults.class).getB()).containsExactly("x");
        assertThat(read("{\"port\": \"1\"}", Body.class).getHost()).isEqualTo("localhost");
        Fine fine = read(
                "{\"other-name\": 5, \"late\": \"a\", \"begun\": 4, \"open\": true, \"box\": {}, \"array\": [],"
                        + " \"numbers\": [1]}",
                Fine.class);
        assertThat(fine.getHidden()).isEqualTo(3);
        assertThat(fine.getNamed()).isEqualTo(5);
        assertThat(fine.getBegun()).isEqualTo(4);
        assertThat(fine.getLazily()).isEqualTo(3);
        assertThat(fine.open).isTrue();
        assertThat(new Gson().fromJson("{\"last\": \"z\"}", Many.class).getA1()).isZero();
    }

    /** As every class that Gson reads: what the schema requires may be missing in an object from before. */
    @Test
    void readsAnObjectThatLacksWhatIsRequired() throws IOException {
        assertThat(read("{\"a1\": 7}", Many.class).getA1()).isEqualTo(7);
        assertThat(ApiJson.copy(read("{\"last\": \"z\"}", Many.class), Many.class))
                .isEqualTo(read("{\"last\": \"z\"}", Many.class));
        assertThat(read("null", Many.class)).isNull();
    }
}
