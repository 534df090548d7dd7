package io.controllermanager.benchmarks.shards;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How soon a Foo is reconciled again on average, and whether a reconcile writes: memory that all processes share by way of a
 * file.
 */
final class Pace {

    private static final int WRITES = Long.BYTES;
    private static final int SIZE = WRITES + Long.BYTES;

    private final MappedByteBuffer memory;

    private Pace(MappedByteBuffer memory) {
        this.memory = memory;
    }

    /** Uses a file, which is made if it is not there. */
    static Pace in(Path file) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE)) {
            return new Pace(channel.map(FileChannel.MapMode.READ_WRITE, 0, SIZE));
        }
    }

    /** Changes it; each Foo follows at its next reconcile. */
    void set(Duration again, boolean writes) {
        memory.putLong(0, again.toMillis());
        memory.putLong(WRITES, writes ? 1 : 0);
    }

    /** When the next reconcile is due: at random, by a Poisson process, so that those who began together soon are apart. */
    Duration again() {
        double random = -Math.log(1 - ThreadLocalRandom.current().nextDouble());
        return Duration.ofMillis(Math.max(1, Math.round(random * memory.getLong(0))));
    }

    boolean writes() {
        return memory.getLong(WRITES) != 0;
    }
}
