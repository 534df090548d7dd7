package io.controllermanager.testing.failover;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reads a file to which others add lines. For one thread. */
final class Tail {

    private final Path file;
    private long position;

    Tail(Path file) {
        this.file = file;
    }

    /** The lines that have been completed since the last call. */
    List<String> newLines() throws IOException {
        List<String> lines = new ArrayList<>();
        if (!Files.exists(file)) {
            return lines;
        }
        try (SeekableByteChannel channel = Files.newByteChannel(file)) {
            channel.position(position);
            ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            while (channel.read(buffer) >= 0) {
                buffer.flip();
                while (buffer.hasRemaining()) {
                    byte next = buffer.get();
                    if (next == '\n') {
                        position += line.size() + 1;
                        lines.add(line.toString(StandardCharsets.UTF_8));
                        line.reset();
                    } else {
                        line.write(next);
                    }
                }
                buffer.clear();
            }
        }
        return lines;
    }
}
