package io.controllermanager.client;

import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.MalformedJsonException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON straight from bytes of UTF-8, for Gson's adapters. Gson's own reader has them turned into characters first,
 * looks at each of those, and turns them back into the bytes that a string of ASCII is held in; that took most of the time
 * of filling a cache. Names come as one and the same string as often as they repeat.
 *
 * <p>It takes what RFC 8259 allows and nothing else, but for values that are skipped, where only quotes and brackets
 * count. Used by one thread.
 */
public final class Utf8JsonReader extends JsonReader {

    private static final int INITIAL_SIZE = 16 << 10;

    /** As Gson's. */
    private static final int DEEPEST = 255;

    // What has been read of the innermost value that is open.
    private static final byte DOCUMENT = 0;
    private static final byte DOCUMENT_END = 1;
    private static final byte ARRAY_BEGIN = 2;
    private static final byte ARRAY = 3;
    private static final byte OBJECT_BEGIN = 4;
    private static final byte OBJECT = 5;
    private static final byte NAME = 6;

    /** Null if all there is has been given. */
    private final @Nullable InputStream in;

    private final RepeatedNames repeated = new RepeatedNames();
    private byte[] states = new byte[16];
    private String[] names = new String[16];
    private int depth;

    /** What has been read, and of that what is still to be looked at, from one place up to another. */
    private byte[] buffer;

    private int at;
    private int end;

    /** What is next, null if nobody has looked. The buffer's place is at its first byte. */
    private @Nullable JsonToken next;

    /** A string without its escapes. */
    private byte[] plain = new byte[256];

    /** Reads what the stream has; whoever made the stream closes it. */
    public Utf8JsonReader(InputStream in) {
        super(Reader.nullReader());
        this.in = in;
        this.buffer = new byte[INITIAL_SIZE];
    }

    /** Without anything to read, before {@link #begin}. */
    public Utf8JsonReader() {
        super(Reader.nullReader());
        this.in = null;
        this.buffer = new byte[0];
    }

    /** Begins with another text, wherever the one before was left. The array is not changed. */
    public Utf8JsonReader begin(byte[] text) {
        buffer = text;
        at = 0;
        end = text.length;
        depth = 0;
        states[0] = DOCUMENT;
        next = null;
        return this;
    }

    @Override
    public JsonToken peek() throws IOException {
        JsonToken token = next;
        if (token == null) {
            token = look();
            next = token;
        }
        return token;
    }

    private JsonToken look() throws IOException {
        int b = skipSpace();
        switch (states[depth]) {
            case ARRAY_BEGIN -> {
                if (b == ']') {
                    return JsonToken.END_ARRAY;
                }
            }
            case ARRAY -> {
                if (b == ']') {
                    return JsonToken.END_ARRAY;
                }
                b = skip(b, ',');
            }
            case OBJECT_BEGIN -> {
                return b == '}' ? JsonToken.END_OBJECT : name(b);
            }
            case OBJECT -> {
                return b == '}' ? JsonToken.END_OBJECT : name(skip(b, ','));
            }
            case DOCUMENT_END -> {
                if (b < 0) {
                    return JsonToken.END_DOCUMENT;
                }
                throw malformed("more than one value");
            }
            default -> {
                // Any value.
            }
        }
        return switch (b) {
            case '"' -> JsonToken.STRING;
            case '{' -> JsonToken.BEGIN_OBJECT;
            case '[' -> JsonToken.BEGIN_ARRAY;
            case 't', 'f' -> JsonToken.BOOLEAN;
            case 'n' -> JsonToken.NULL;
            case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' -> JsonToken.NUMBER;
            case -1 -> throw ended();
            default -> throw malformed("a value was expected");
        };
    }

    private JsonToken name(int b) throws IOException {
        if (b != '"') {
            throw b < 0 ? ended() : malformed("a name was expected");
        }
        return JsonToken.NAME;
    }

    /** Goes on behind this byte, to the next one that is no space. */
    private int skip(int b, char expected) throws IOException {
        if (b != expected) {
            throw b < 0 ? ended() : malformed("'" + expected + "' was expected");
        }
        at++;
        return skipSpace();
    }

    /** Goes to the first byte that is no space, which it gives; -1 if there is none. */
    private int skipSpace() throws IOException {
        while (true) {
            while (at < end) {
                byte b = buffer[at];
                if (b != ' ' && b != '\n' && b != '\r' && b != '\t') {
                    return b;
                }
                at++;
            }
            if (!read()) {
                return -1;
            }
        }
    }

    /** Reads on, keeping what is still to be looked at, which moves to the buffer's beginning. */
    private boolean read() throws IOException {
        if (in == null) {
            return false;
        }
        if (at > 0) {
            System.arraycopy(buffer, at, buffer, 0, end - at);
            end -= at;
            at = 0;
        } else if (end == buffer.length) {
            buffer = Arrays.copyOf(buffer, 2 * end);
        }
        int count = in.read(buffer, end, buffer.length - end);
        end += Math.max(0, count);
        return count > 0;
    }

    private void take(JsonToken expected) throws IOException {
        JsonToken token = peek();
        if (token != expected) {
            throw unexpected(expected.name());
        }
        next = null;
    }

    /** A value has been read, or its beginning. */
    private void taken() {
        next = null;
        byte state = states[depth];
        states[depth] =
                state == ARRAY_BEGIN ? ARRAY : state == NAME ? OBJECT : state == DOCUMENT ? DOCUMENT_END : state;
    }

    private void open(byte state) throws IOException {
        at++;
        taken();
        if (depth == DEEPEST) {
            throw malformed("nested more than " + DEEPEST + " deep");
        }
        if (++depth == states.length) {
            states = Arrays.copyOf(states, 2 * depth);
            names = Arrays.copyOf(names, 2 * depth);
        }
        states[depth] = state;
        names[depth] = "";
    }

    @Override
    public void beginArray() throws IOException {
        take(JsonToken.BEGIN_ARRAY);
        open(ARRAY_BEGIN);
    }

    @Override
    public void endArray() throws IOException {
        take(JsonToken.END_ARRAY);
        at++;
        depth--;
    }

    @Override
    public void beginObject() throws IOException {
        take(JsonToken.BEGIN_OBJECT);
        open(OBJECT_BEGIN);
    }

    @Override
    public void endObject() throws IOException {
        take(JsonToken.END_OBJECT);
        at++;
        depth--;
    }

    @Override
    public boolean hasNext() throws IOException {
        JsonToken token = peek();
        return token != JsonToken.END_OBJECT && token != JsonToken.END_ARRAY && token != JsonToken.END_DOCUMENT;
    }

    @Override
    public String nextName() throws IOException {
        take(JsonToken.NAME);
        String name = string(true);
        if (skipSpace() != ':') {
            throw malformed("':' was expected");
        }
        at++;
        states[depth] = NAME;
        names[depth] = name;
        return name;
    }

    @Override
    public String nextString() throws IOException {
        JsonToken token = peek();
        if (token != JsonToken.STRING && token != JsonToken.NUMBER) {
            throw unexpected("a string");
        }
        String string = token == JsonToken.STRING ? string(false) : literal();
        taken();
        return string;
    }

    @Override
    public boolean nextBoolean() throws IOException {
        if (peek() != JsonToken.BOOLEAN) {
            throw unexpected("a boolean");
        }
        String literal = literal();
        taken();
        return switch (literal) {
            case "true" -> true;
            case "false" -> false;
            default -> throw malformed(literal + " is no value");
        };
    }

    @Override
    public void nextNull() throws IOException {
        if (peek() != JsonToken.NULL) {
            throw unexpected("null");
        }
        String literal = literal();
        taken();
        if (!literal.equals("null")) {
            throw malformed(literal + " is no value");
        }
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
            double value = Double.parseDouble(number);
            if ((long) value != value) {
                throw new NumberFormatException("Expected a whole number but was " + number + " at path " + getPath());
            }
            return (long) value;
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

    /** The string whose opening quote is next; goes on behind the closing one. */
    private String string(boolean repeats) throws IOException {
        byte[] bytes = buffer;
        int i = at + 1;
        int seen = 0;
        int hash = 0;
        while (true) {
            for (int limit = end; i < limit; i++) {
                byte b = bytes[i];
                if (b == '"') {
                    int from = at + 1;
                    at = i + 1;
                    return repeats && seen >= 0
                            ? repeated.name(bytes, from, i - from, hash)
                            : decoded(bytes, from, i - from, seen);
                }
                if (b == '\\') {
                    return withoutEscapes(i);
                }
                seen |= b;
                hash = 31 * hash + b;
            }
            int length = i - at;
            if (!read()) {
                throw ended();
            }
            bytes = buffer;
            i = at + length;
        }
    }

    /** Goes on with the string whose opening quote is next where its first escape is. */
    private String withoutEscapes(int firstEscape) throws IOException {
        int length = 0;
        int seen = 0;
        int begin = at + 1;
        int i = firstEscape;
        while (true) {
            // Up to here there are no escapes.
            length = append(begin, i, length);
            at = i;
            if (i == end) {
                if (!read()) {
                    throw ended();
                }
            } else if (buffer[at++] == '"') {
                for (int k = 0; k < length; k++) {
                    seen |= plain[k];
                }
                return decoded(plain, 0, length, seen);
            } else {
                length = unescape(length);
            }
            begin = at;
            i = at;
            while (i < end && buffer[i] != '"' && buffer[i] != '\\') {
                i++;
            }
        }
    }

    private int append(int from, int to, int length) {
        int all = length + to - from;
        // An escape more has room as well.
        if (all + 4 > plain.length) {
            plain = Arrays.copyOf(plain, 2 * all + 4);
        }
        System.arraycopy(buffer, from, plain, length, to - from);
        return all;
    }

    /** Writes the character of an escape, whose backslash has been read; gives the length then. */
    private int unescape(int length) throws IOException {
        char escape = (char) escapeByte();
        int character = switch (escape) {
            case '"', '\\', '/' -> escape;
            case 'n' -> '\n';
            case 't' -> '\t';
            case 'r' -> '\r';
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'u' -> codePoint();
            default -> throw malformed("there is no escape \\" + escape);
        };
        if (character < 0x80) {
            plain[length] = (byte) character;
            return length + 1;
        }
        byte[] encoded = new String(Character.toChars(character)).getBytes(StandardCharsets.UTF_8);
        System.arraycopy(encoded, 0, plain, length, encoded.length);
        return length + encoded.length;
    }

    private int codePoint() throws IOException {
        char first = unit();
        if (!Character.isHighSurrogate(first)) {
            return first;
        }
        if (escapeByte() != '\\' || escapeByte() != 'u') {
            throw malformed("half a character");
        }
        char second = unit();
        if (!Character.isLowSurrogate(second)) {
            throw malformed("half a character");
        }
        return Character.toCodePoint(first, second);
    }

    private char unit() throws IOException {
        int unit = 0;
        for (int i = 0; i < 4; i++) {
            int digit = Character.digit(escapeByte(), 16);
            if (digit < 0) {
                throw malformed("\\u without four digits");
            }
            unit = unit << 4 | digit;
        }
        return (char) unit;
    }

    private byte escapeByte() throws IOException {
        if (at == end && !read()) {
            throw ended();
        }
        return buffer[at++];
    }

    /** What all of the bytes have in common in their highest bit says whether there are others than ASCII. */
    private static String decoded(byte[] bytes, int from, int length, int seen) {
        return new String(bytes, from, length, seen >= 0 ? StandardCharsets.ISO_8859_1 : StandardCharsets.UTF_8);
    }

    /** A number, true, false or null. */
    private String literal() throws IOException {
        int length = 0;
        while (true) {
            if (at + length == end && !read()) {
                break;
            }
            byte b = buffer[at + length];
            boolean letter = b >= 'a' && b <= 'z';
            boolean digit = b >= '0' && b <= '9';
            if (!letter && !digit && b != '-' && b != '+' && b != '.' && b != 'E') {
                break;
            }
            length++;
        }
        String literal = new String(buffer, at, length, StandardCharsets.ISO_8859_1);
        at += length;
        return literal;
    }

    @Override
    public void skipValue() throws IOException {
        switch (peek()) {
            case NAME -> nextName();
            case STRING -> {
                skipString();
                taken();
            }
            case BEGIN_ARRAY, BEGIN_OBJECT -> {
                skipNested();
                taken();
            }
            case BOOLEAN -> nextBoolean();
            case NULL -> nextNull();
            case NUMBER -> nextString();
            default -> throw unexpected("a value");
        }
    }

    private void skipNested() throws IOException {
        int open = 0;
        do {
            if (at == end && !read()) {
                throw ended();
            }
            switch (buffer[at]) {
                case '"' -> {
                    skipString();
                    continue;
                }
                case '{', '[' -> open++;
                case '}', ']' -> open--;
                default -> {
                    // Within.
                }
            }
            at++;
        } while (open > 0);
    }

    private void skipString() throws IOException {
        at++;
        while (true) {
            byte[] bytes = buffer;
            int limit = end;
            int i = at;
            while (i < limit && bytes[i] != '"' && bytes[i] != '\\') {
                i++;
            }
            at = i;
            if (i == limit) {
                if (!read()) {
                    throw ended();
                }
            } else {
                at++;
                if (bytes[i] == '"') {
                    return;
                }
                escapeByte();
            }
        }
    }

    private IllegalStateException unexpected(String expected) throws IOException {
        return new IllegalStateException(
                "Expected " + expected.toLowerCase(Locale.ROOT) + " but was " + peek() + " at path " + getPath());
    }

    private MalformedJsonException malformed(String what) {
        return new MalformedJsonException("No valid JSON: " + what + " at path " + getPath());
    }

    private EOFException ended() {
        return new EOFException("End of input at path " + getPath());
    }

    /** The names on the way to what is next; which of an array's elements it is in, is not said. */
    @Override
    public String getPath() {
        StringBuilder path = new StringBuilder("$");
        for (int i = 1; i <= depth; i++) {
            if (states[i] == ARRAY || states[i] == ARRAY_BEGIN) {
                path.append("[]");
            } else if (!names[i].isEmpty()) {
                path.append('.').append(names[i]);
            }
        }
        return path.toString();
    }

    @Override
    public String getPreviousPath() {
        return getPath();
    }

    @Override
    public String toString() {
        return "Utf8JsonReader at path " + getPath();
    }

    /** Does nothing: the stream belongs to whoever made it. */
    @Override
    public void close() {}
}
