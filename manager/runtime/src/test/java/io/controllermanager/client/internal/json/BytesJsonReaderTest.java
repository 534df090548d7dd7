package io.controllermanager.client.internal.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import com.google.gson.TypeAdapter;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BytesJsonReaderTest {

    private static final TypeAdapter<JsonElement> TREES = ApiJson.adapter(JsonElement.class);

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static JsonElement tree(String text) throws IOException {
        JsonReader reader = BytesJsonReader.of(utf8(text));
        JsonElement tree = TREES.read(reader);
        assertThat(reader.peek()).isEqualTo(JsonToken.END_DOCUMENT);
        return tree;
    }

    /** A stream that gives a few bytes at a time, so that everything is cut somewhere. */
    private static InputStream inPieces(byte[] bytes, Random random) {
        return new FilterInputStream(new ByteArrayInputStream(bytes)) {
            @Override
            public int read(byte[] to, int from, int length) throws IOException {
                return super.read(to, from, Math.min(length, 1 + random.nextInt(7)));
            }
        };
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"\"",
                "\"plain\"",
                "\"a \\\"quote\\\", a \\\\, a \\/, \\b\\f\\n\\r\\t\"",
                "\"\\u0041\\u00e9\\u20AC\\ud83d\\ude00\"",
                "\"é€😀 and \\n an escape\"",
                " { \"a\" : [ 1 , -2.5e+3, true , false , null ] , \"é\" : { } }\r\n",
                "[[],{},[{\"\":[]}]]",
                "0",
                "-12",
                "12345678901234567890",
                "true",
                "null"
            })
    void readsWhatGsonReads(String text) throws IOException {
        assertThat(tree(text)).isEqualTo(JsonParser.parseString(text));
    }

    @Test
    void readsRandomDocumentsInPieces() throws IOException {
        Random random = new Random(6);
        for (int i = 0; i < 300; i++) {
            JsonElement document = random(random, 5);
            byte[] text = utf8(document.toString());

            assertThat(TREES.read(BytesJsonReader.of(inPieces(text, random)))).isEqualTo(document);
        }
    }

    @Test
    void skipsWhateverIsNotAskedFor() throws IOException {
        Random random = new Random(7);
        for (int i = 0; i < 300; i++) {
            JsonObject document = new JsonObject();
            document.add("skipped", random(random, 5));
            document.addProperty("read", i);
            JsonReader reader = BytesJsonReader.of(inPieces(utf8(document.toString()), random));

            reader.beginObject();
            reader.skipValue();
            reader.skipValue();
            assertThat(reader.nextName()).isEqualTo("read");
            assertThat(reader.nextInt()).isEqualTo(i);
            reader.endObject();
        }
    }

    private static JsonElement random(Random random, int depth) {
        return switch (random.nextInt(depth == 0 ? 4 : 7)) {
            case 0 -> JsonNull.INSTANCE;
            case 1 -> new JsonPrimitive(random.nextBoolean());
            case 2 -> new JsonPrimitive(random.nextInt());
            case 3 -> new JsonPrimitive(randomText(random));
            case 4 -> {
                JsonArray array = new JsonArray();
                for (int i = random.nextInt(5); i > 0; i--) {
                    array.add(random(random, depth - 1));
                }
                yield array;
            }
            default -> {
                JsonObject object = new JsonObject();
                for (int i = random.nextInt(5); i > 0; i--) {
                    object.add(randomText(random), random(random, depth - 1));
                }
                yield object;
            }
        };
    }

    private static String randomText(Random random) {
        // Some of these are escaped, and some take two, three or four bytes.
        int[] characters = {'a', 'b', '"', '\\', '\n', 1, ' ', '{', ']', 0xe9, 0x20ac, 0x2028, 0x1f600};
        return random.ints(random.nextInt(12), 0, characters.length)
                .map(i -> characters[i])
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    @Test
    void readsStringsLongerThanItsBuffer() throws IOException {
        String plain = "x".repeat(1_400_000);
        String escaped = "\\n\"".repeat(200_000);
        String text = "[\"" + plain + "\"," + new JsonPrimitive(escaped) + "]";

        JsonArray read = TREES.read(BytesJsonReader.of(new ByteArrayInputStream(utf8(text))))
                .getAsJsonArray();

        assertThat(read.get(0).getAsString()).isEqualTo(plain);
        assertThat(read.get(1).getAsString()).isEqualTo(escaped);
    }

    @Test
    void givesNamesThatRepeatAsOneString() throws IOException {
        JsonReader reader = BytesJsonReader.of(utf8("{\"name\":{\"name\":1}}"));

        reader.beginObject();
        String first = reader.nextName();
        reader.beginObject();

        assertThat(reader.nextName()).isSameAs(first).isEqualTo("name");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "[1",
                "{\"a\"",
                "{\"a\":",
                "\"abc",
                "\"\\",
                "\"\\u00",
                "{\"a\":1]",
                "[1}",
                "[1 2]",
                "[1,]",
                "{\"a\" 1}",
                "{\"a\":1,}",
                "{a:1}",
                "nul",
                "tru",
                "'a'",
                "\"\\x\"",
                "]"
            })
    void refusesWhatIsNoJson(String text) {
        assertThatThrownBy(() -> tree(text)).isInstanceOfAny(IOException.class, IllegalStateException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "{", "[1", "{\"a\"", "{\"a\":", "\"abc", "\"\\u00"})
    void tellsWhatEndsEarlyFromWhatDoesNotFit(String text) throws IOException {
        try (BytesJsonReader reader = BytesJsonReader.of(utf8(text))) {
            assertThatThrownBy(() -> readAll(reader)).isInstanceOf(EOFException.class);
            assertThat(reader.ended()).isTrue();
        }
    }

    private static void readAll(JsonReader reader) throws IOException {
        while (true) {
            switch (reader.peek()) {
                case BEGIN_OBJECT -> reader.beginObject();
                case BEGIN_ARRAY -> reader.beginArray();
                case NAME -> assertThat(reader.nextName()).isNotNull();
                default -> assertThat(reader.nextString()).isNotNull();
            }
        }
    }

    @Test
    void givesTheStreamsOwnFailure() {
        IOException cut = new IOException("cut");
        InputStream broken = new FilterInputStream(InputStream.nullInputStream()) {
            @Override
            public int read(byte[] to, int from, int length) throws IOException {
                throw cut;
            }
        };
        JsonReader reader = BytesJsonReader.of(broken);

        assertThatThrownBy(reader::beginObject).isSameAs(cut);
    }

    @Test
    void readsNothingButUtf8() {
        byte[] text = "{}".getBytes(StandardCharsets.UTF_16BE);

        assertThatThrownBy(() -> BytesJsonReader.of(text).beginObject()).isInstanceOf(IOException.class);
    }

    @Test
    void refusesWhatIsNestedTooDeep() {
        assertThatThrownBy(() -> {
                    JsonReader reader = BytesJsonReader.of(utf8("[".repeat(2_000)));
                    while (reader.hasNext()) {
                        reader.beginArray();
                    }
                })
                .hasMessageContaining("nesting depth");
    }

    @Test
    void leavesTheArrayAsItIsWhenItsTextEndsEarly() {
        byte[] text = utf8("{\"a\":\"b\",\"c\":\"cut o");

        assertThatThrownBy(() -> TREES.read(BytesJsonReader.of(text))).isInstanceOf(IOException.class);
        assertThat(text).isEqualTo(utf8("{\"a\":\"b\",\"c\":\"cut o"));
    }

    @Test
    void saysWhatWasExpectedAndWhere() throws IOException {
        JsonReader reader = BytesJsonReader.of(utf8("{\"spec\":[{\"name\":{}}]}"));
        reader.beginObject();
        assertThat(reader.nextName()).isEqualTo("spec");
        reader.beginArray();
        reader.beginObject();
        assertThat(reader.nextName()).isEqualTo("name");

        assertThatThrownBy(reader::nextString)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("Expected a string but was BEGIN_OBJECT at path $.spec.0.name");
    }

    @Test
    void takesNumbersAsGsonDoes() throws IOException {
        JsonReader reader = BytesJsonReader.of(utf8("[1.0,\"7\",1e3,1.5,5000000000]"));
        reader.beginArray();

        assertThat(reader.nextInt()).isEqualTo(1);
        assertThat(reader.nextInt()).isEqualTo(7);
        assertThat(reader.nextLong()).isEqualTo(1_000);
        assertThatThrownBy(reader::nextInt).isInstanceOf(NumberFormatException.class);
        assertThatThrownBy(reader::nextInt).isInstanceOf(NumberFormatException.class);
    }
}
