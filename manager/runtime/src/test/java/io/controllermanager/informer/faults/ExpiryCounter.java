package io.controllermanager.informer.faults;

import java.nio.charset.StandardCharsets;

/**
 * Counts the Statuses with code 410 in what a server sends over one connection, in plain HTTP/1.1. A Status may come in
 * several reads, and in several chunks of a chunked body: the line that parts two chunks is left out. For one thread.
 */
final class ExpiryCounter {

    private static final byte[] EXPIRED = "\"code\":410".getBytes(StandardCharsets.ISO_8859_1);

    /** How many bytes of what is looked for have come last. */
    private int matched;

    /** How many line ends are still to come until the next chunk begins. JSON itself holds no carriage return. */
    private int lineEndsToSkip;

    /** Gives how many Statuses end in the next bytes. */
    int count(byte[] bytes, int length) {
        int found = 0;
        for (int i = 0; i < length; i++) {
            byte next = bytes[i];
            if (lineEndsToSkip > 0) {
                lineEndsToSkip -= next == '\n' ? 1 : 0;
            } else if (matched > 0 && next == '\r') {
                lineEndsToSkip = 2;
            } else {
                matched = next == EXPIRED[matched] ? matched + 1 : next == EXPIRED[0] ? 1 : 0;
            }
            if (matched == EXPIRED.length) {
                found++;
                matched = 0;
            }
        }
        return found;
    }
}
