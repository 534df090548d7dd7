package io.controllermanager.benchmarks.queue;

import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** How often a second a key is added, taken and done: one queue for all threads, each thread adding keys of its own. */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class QueueThroughput {

    /** One complete cycle. */
    @Benchmark
    public String cycle(Shared shared, Keys keys) throws InterruptedException {
        QueueContender queue = shared.queue();
        queue.add(keys.giveAway());
        String taken = queue.take();
        queue.done(taken);
        keys.keep(taken);
        return taken;
    }

    /** What all threads share. */
    @State(Scope.Benchmark)
    public static class Shared {

        /** Whose queue it is. */
        @Param({"ours", "ours+metrics", "ours+fairness", "client-java"})
        public String contender = "ours";

        private @Nullable QueueContender queue;
        private final AtomicInteger threads = new AtomicInteger();

        /** Makes the queue. */
        @Setup
        public void open() {
            queue = QueueContender.named(contender);
        }

        /** Ends it. */
        @TearDown
        public void close() {
            queue().close();
        }

        QueueContender queue() {
            return Objects.requireNonNull(queue);
        }
    }

    /**
     * A thread's keys, at first in a namespace of their own. A thread keeps what it takes in the place of what it has
     * added, so that no key is added that is still on its way: such adds become one, and in the end a taker would wait for
     * a key that nobody adds.
     */
    @State(Scope.Thread)
    public static class Keys {

        private static final int COUNT = 128;

        private final String[] keys = new String[COUNT];
        private int next;

        /** Makes the keys. */
        @Setup
        public void make(Shared shared) {
            int thread = shared.threads.getAndIncrement();
            for (int i = 0; i < COUNT; i++) {
                keys[i] = "namespace-" + thread + "/name-" + i;
            }
        }

        String giveAway() {
            return keys[next & (COUNT - 1)];
        }

        void keep(String key) {
            keys[next++ & (COUNT - 1)] = key;
        }
    }
}
