package io.controllermanager.testing.failover;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;

/** What is done to a replica from outside while it runs: some memory, by way of a file, that two processes share. */
final class Controls {

    private static final int WALL_CLOCK = 0;
    private static final int FENCE = WALL_CLOCK + Long.BYTES;
    private static final int SIZE = FENCE + Long.BYTES;

    private final MappedByteBuffer memory;

    private Controls(MappedByteBuffer memory) {
        this.memory = memory;
    }

    /** Makes the file, in which nothing is done to anybody. */
    static Controls make(Path file) throws IOException {
        Files.write(file, new byte[SIZE]);
        return open(file);
    }

    /** Uses a file that was made before. */
    static Controls open(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return new Controls(channel.map(FileChannel.MapMode.READ_WRITE, 0, SIZE));
        }
    }

    /** Sets the wall clock wrong by so much. */
    void moveWallClock(Duration by) {
        memory.putLong(WALL_CLOCK, by.toMillis());
    }

    /** By how much the wall clock is wrong. */
    Duration wallClockError() {
        return Duration.ofMillis(memory.getLong(WALL_CLOCK));
    }

    /** Has the replica write whether it leads or not, and slowly. */
    void takeFenceAway() {
        memory.putLong(FENCE, 1);
    }

    /** Whether it has no fence. */
    boolean fenceIsAway() {
        return memory.getLong(FENCE) != 0;
    }
}
