package io.controllermanager.client.internal.json;

import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.MalformedJsonException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.math.BigDecimal;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamContext;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.exc.JacksonIOException;
import tools.jackson.core.exc.UnexpectedEndOfInputException;
import tools.jackson.core.json.JsonFactory;

/**
 * Has Jackson read JSON from bytes of UTF-8 for Gson's adapters. Gson's own reader has them turned into characters first,
 * which took most of the time of filling a cache; Jackson's looks at bytes, and gives names that repeat as one and the same
 * string, as a rule. It takes what RFC 8259 allows and nothing else. Used by one thread.
 *
 * <p>An adapter with a Gson of its own cannot read a map from it, since Gson's adapter for maps looks into the insides of
 * Gson's own readers: it finds {@code EOFException} where this reader {@linkplain #ended has not ended}, and has to be given
 * a tree instead.
 */
public final class BytesJsonReader extends JsonReader {

    /** Some of a schema's or a caller's own types may nest deeply; what reads them calls itself. */
    private static final int DEEPEST = 1_000;

    /** The API server limits what it stores, and what is read here was written by it: no limits but for the nesting. */
    private static final JsonFactory JSON = JsonFactory.builder()
            .disable(TokenStreamFactory.Feature.INTERN_PROPERTY_NAMES)
            .disable(TokenStreamFactory.Feature.FAIL_ON_SYMBOL_HASH_OVERFLOW)
            .disable(TokenStreamFactory.Feature.CHARSET_DETECTION)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(DEEPEST)
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxNameLength(Integer.MAX_VALUE)
                    .maxNumberLength(Integer.MAX_VALUE)
                    .build())
            .build();

    private final JsonParser parser;

    /** What is next, null if nobody has looked. */
    private @Nullable JsonToken next;

    private boolean ended;

    private BytesJsonReader(JsonParser parser) {
        super(Reader.nullReader());
        this.parser = parser;
    }

    /** Reads what a stream has. */
    public static BytesJsonReader of(InputStream in) {
        return new BytesJsonReader(JSON.createParser(ObjectReadContext.empty(), in));
    }

    /** Reads a text. */
    public static BytesJsonReader of(byte[] text) {
        return new BytesJsonReader(JSON.createParser(ObjectReadContext.empty(), text));
    }

    /** Whether the end has been reached, that of the text or one before. */
    public boolean ended() {
        return ended;
    }

    @Override
    public JsonToken peek() throws IOException {
        JsonToken token = next;
        if (token == null) {
            token = advance();
            next = token;
        }
        return token;
    }

    private JsonToken advance() throws IOException {
        tools.jackson.core.JsonToken token;
        try {
            token = parser.nextToken();
        } catch (JacksonException e) {
            throw asIo(e);
        }
        if (token == null) {
            ended = true;
            return JsonToken.END_DOCUMENT;
        }
        return switch (token) {
            case START_OBJECT -> JsonToken.BEGIN_OBJECT;
            case END_OBJECT -> JsonToken.END_OBJECT;
            case START_ARRAY -> JsonToken.BEGIN_ARRAY;
            case END_ARRAY -> JsonToken.END_ARRAY;
            case PROPERTY_NAME -> JsonToken.NAME;
            case VALUE_STRING -> JsonToken.STRING;
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> JsonToken.NUMBER;
            case VALUE_TRUE, VALUE_FALSE -> JsonToken.BOOLEAN;
            case VALUE_NULL -> JsonToken.NULL;
            default -> throw new MalformedJsonException("No valid JSON: " + token + " at path " + getPath());
        };
    }

    private void take(JsonToken expected) throws IOException {
        JsonToken token = peek();
        if (token != expected) {
            throw unexpected(expected.name().replace('_', ' ').toLowerCase(Locale.ROOT), token);
        }
        next = null;
    }

    @Override
    public void beginArray() throws IOException {
        take(JsonToken.BEGIN_ARRAY);
    }

    @Override
    public void endArray() throws IOException {
        take(JsonToken.END_ARRAY);
    }

    @Override
    public void beginObject() throws IOException {
        take(JsonToken.BEGIN_OBJECT);
    }

    @Override
    public void endObject() throws IOException {
        take(JsonToken.END_OBJECT);
    }

    @Override
    public boolean hasNext() throws IOException {
        JsonToken token = peek();
        return token != JsonToken.END_OBJECT && token != JsonToken.END_ARRAY && token != JsonToken.END_DOCUMENT;
    }

    @Override
    public String nextName() throws IOException {
        take(JsonToken.NAME);
        return parser.currentName();
    }

    @Override
    public String nextString() throws IOException {
        JsonToken token = peek();
        if (token != JsonToken.STRING && token != JsonToken.NUMBER) {
            throw unexpected("a string", token);
        }
        String string = text();
        next = null;
        return string;
    }

    private String text() throws IOException {
        try {
            return parser.getString();
        } catch (JacksonException e) {
            throw asIo(e);
        }
    }

    @Override
    public boolean nextBoolean() throws IOException {
        take(JsonToken.BOOLEAN);
        return parser.currentToken() == tools.jackson.core.JsonToken.VALUE_TRUE;
    }

    @Override
    public void nextNull() throws IOException {
        take(JsonToken.NULL);
    }

    @Override
    public double nextDouble() throws IOException {
        return Double.parseDouble(nextString());
    }

    @Override
    public long nextLong() throws IOException {
        String number = nextString();
        try {
            return Long.parseLong(number);
        } catch (NumberFormatException e) {
            // Such as 1.0 and 1e3, which are whole as well.
            try {
                return new BigDecimal(number).longValueExact();
            } catch (ArithmeticException notWhole) {
                throw new NumberFormatException("Expected a whole number but was " + number + " at path " + getPath());
            }
        }
    }

    @Override
    public int nextInt() throws IOException {
        long value = nextLong();
        if ((int) value != value) {
            throw new NumberFormatException("Expected an int but was " + value + " at path " + getPath());
        }
        return (int) value;
    }

    @Override
    public void skipValue() throws IOException {
        JsonToken token = peek();
        if (token == JsonToken.END_OBJECT || token == JsonToken.END_ARRAY || token == JsonToken.END_DOCUMENT) {
            throw unexpected("a value", token);
        }
        try {
            parser.skipChildren();
            if (token == JsonToken.STRING) {
                // Has it read to its end, and complain of what is no text.
                parser.getStringLength();
            }
        } catch (JacksonException e) {
            throw asIo(e);
        }
        next = null;
    }

    private IllegalStateException unexpected(String expected, JsonToken token) throws EOFException {
        if (token == JsonToken.END_DOCUMENT) {
            throw new EOFException("End of input instead of " + expected + " at path " + getPath());
        }
        return new IllegalStateException("Expected " + expected + " but was " + token + " at path " + getPath());
    }

    private IOException asIo(JacksonException e) {
        if (e instanceof JacksonIOException io && io.getCause() != null) {
            return io.getCause();
        }
        if (e instanceof UnexpectedEndOfInputException) {
            ended = true;
            EOFException ended = new EOFException("End of input at path " + getPath());
            ended.initCause(e);
            return ended;
        }
        return new MalformedJsonException("No valid JSON: " + e.getOriginalMessage() + " at path " + getPath(), e);
    }

    /** The names and indexes on the way to what was read last. */
    @Override
    public String getPath() {
        TokenStreamContext context = parser.streamReadContext();
        return "$" + context.pathAsPointer().toString().replace('/', '.');
    }

    @Override
    public String getPreviousPath() {
        return getPath();
    }

    @Override
    public String toString() {
        return "BytesJsonReader at path " + getPath();
    }

    /** Gives back what was borrowed for reading; ends the stream, if it reads one. */
    @Override
    public void close() throws IOException {
        try {
            parser.close();
        } catch (JacksonException e) {
            throw asIo(e);
        }
    }
}
