package io.controllermanager.client.internal.access;

import io.controllermanager.client.internal.request.FailureMessage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/**
 * What a process prints, read to the end by a thread of its own: the process never waits for a reader, and nobody but that
 * thread waits for a descendant that outlives the process and holds the stream open. Of what is longer than any answer the
 * end is kept.
 */
final class ProcessOutput {

    /** In bytes; an answer has some thousands. */
    private static final int LONGEST = 1 << 20;

    private final Thread thread;

    /** Written by that thread alone; each of its methods locks. */
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();

    /** Begins to read. */
    ProcessOutput(InputStream stream, String threadName) {
        thread = new Thread(() -> read(stream), threadName);
        thread.setDaemon(true);
        thread.start();
    }

    private void read(InputStream stream) {
        byte[] buffer = new byte[8192];
        try {
            for (int count = stream.read(buffer); count >= 0; count = stream.read(buffer)) {
                if (kept.size() > LONGEST) {
                    kept.reset();
                }
                kept.write(buffer, 0, count);
            }
        } catch (IOException e) {
            // The process has been ended.
        }
    }

    /** What has been kept; once the process has ended. */
    String text() throws InterruptedException {
        thread.join(1_000);
        return kept.toString(StandardCharsets.UTF_8);
    }

    /** The last line that is not blank, empty if there is none. */
    String lastLine() throws InterruptedException {
        return text().lines()
                .map(FailureMessage::oneLine)
                .filter(line -> !line.isEmpty())
                .reduce("", (a, last) -> last);
    }
}
