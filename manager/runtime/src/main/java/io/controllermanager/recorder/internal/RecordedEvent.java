package io.controllermanager.recorder.internal;

import io.kubernetes.client.openapi.models.V1ObjectReference;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

/**
 * Something that was recorded once.
 *
 * @param component who recorded it
 * @param type {@code Normal} or {@code Warning}
 * @param regarding what it is about
 * @param reason why, for machines
 * @param note what to tell people
 * @param at when
 */
record RecordedEvent(
        String component, String type, V1ObjectReference regarding, String reason, String note, Instant at) {

    /** The longest note that the API server takes, in bytes. */
    private static final int NOTE_LIMIT = 1024;

    private static final String ELLIPSIS = "...";

    /** What repetitions have in common; what the API server lets nobody change in an Event. */
    record Identity(String component, String type, String regarding, String reason, String note) {}

    Identity identity() {
        return new Identity(component, type, object(), reason, note);
    }

    /** Which object it is about. */
    String object() {
        return regarding.getApiVersion() + "/" + regarding.getKind() + "/" + regarding.getNamespace() + "/"
                + regarding.getName() + "/" + regarding.getUid();
    }

    /** Cuts a note between characters so that it fits. */
    static String shortened(String note) {
        if (note.length() * 3 <= NOTE_LIMIT || note.getBytes(StandardCharsets.UTF_8).length <= NOTE_LIMIT) {
            return note;
        }
        CharBuffer rest = CharBuffer.wrap(note);
        StandardCharsets.UTF_8
                .newEncoder()
                .onMalformedInput(CodingErrorAction.REPLACE)
                .encode(rest, ByteBuffer.allocate(NOTE_LIMIT - ELLIPSIS.length()), true);
        return note.substring(0, rest.position()) + ELLIPSIS;
    }
}
