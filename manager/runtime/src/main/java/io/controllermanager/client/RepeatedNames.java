package io.controllermanager.client;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Gives the same string for the same bytes of ASCII. A table of fixed size, in which a name displaces another of the same
 * slot: what repeats often is there nearly always, and what does not costs no memory for long. Used by one thread.
 */
final class RepeatedNames {

    private static final int SLOTS = 1 << 9;

    /** Longer ones are rarely alike. */
    private static final int LONGEST = 128;

    private final @Nullable Name[] table = new Name[SLOTS];

    // Compared by nobody.
    @SuppressWarnings("ArrayRecordComponent")
    private record Name(byte[] bytes, String string) {}

    /**
     * The string.
     *
     * @param hash the string's own
     */
    String name(byte[] bytes, int from, int length, int hash) {
        if (length > LONGEST) {
            return new String(bytes, from, length, StandardCharsets.ISO_8859_1);
        }
        int slot = (hash ^ (hash >>> 15)) & (SLOTS - 1);
        Name known = table[slot];
        if (known != null && Arrays.equals(known.bytes, 0, known.bytes.length, bytes, from, from + length)) {
            return known.string;
        }
        String string = new String(bytes, from, length, StandardCharsets.ISO_8859_1);
        table[slot] = new Name(Arrays.copyOfRange(bytes, from, from + length), string);
        return string;
    }
}
