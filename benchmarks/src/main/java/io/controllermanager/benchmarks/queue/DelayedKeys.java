package io.controllermanager.benchmarks.queue;

import io.controllermanager.time.internal.SystemTimer;
import io.controllermanager.workqueue.internal.WorkQueue;
import io.kubernetes.client.extended.workqueue.DefaultDelayingQueue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * Adds keys with delays from 8 threads, takes them with one, and prints how many came, how many of them early, and how late
 * they were. One run a process, so that its peak memory is the run's.
 */
public final class DelayedKeys {

    private static final int ADDERS = 8;
    private static final Duration LONGEST = Duration.ofSeconds(10);

    /** The end, for client-java's queue, that no key came for so long after the last was due. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private DelayedKeys() {}

    private static final Duration TIME_TO_ADD = Duration.ofSeconds(5);

    /** client-java counts in whole milliseconds, twice; what is early by less is not held against it. */
    private static final long COARSE_NANOS = 2_000_000L;

    /** A queue that is measured, whosever it is. */
    private interface Contender extends AutoCloseable {
        void addAfter(Integer key, Duration delay);

        @Nullable
        Integer take() throws InterruptedException;

        void done(Integer key);

        @Override
        void close();
    }

    /**
     * Runs one measurement.
     *
     * @param args {@code ours} or {@code client-java}, the number of adds, the number of keys
     */
    public static void main(String[] args) throws Exception {
        String name = args[0];
        int adds = Integer.parseInt(args[1]);
        int keys = Integer.parseInt(args[2]);
        long began = System.nanoTime();
        ExecutorService adders = Executors.newFixedThreadPool(ADDERS);
        try (Contender queue = name.equals("ours") ? new Ours() : new ClientJava()) {
            Expected expected = new Expected(keys);
            // Where keys are added several times, delays count from a moment after the last add: each key is to come
            // once,
            // and it can be said when.
            long start = keys < adds ? began + TIME_TO_ADD.toNanos() : 0;
            for (int a = 0; a < ADDERS; a++) {
                int adder = a;
                adders.execute(() -> add(queue, expected, adder, adds, keys, start));
            }
            adders.shutdown();
            Taker taker = new Taker(queue, expected, name.equals("ours") ? 0 : COARSE_NANOS);
            Thread thread = new Thread(taker, "taker");
            thread.setDaemon(true);
            thread.start();
            adders.awaitTermination(1, TimeUnit.MINUTES);
            double addSeconds = (System.nanoTime() - began) / 1e9;
            if (start != 0 && System.nanoTime() - start > 0) {
                throw new IllegalStateException("the adds took longer than " + TIME_TO_ADD);
            }
            taker.awaitQuiet(LONGEST.plus(TIME_TO_ADD).plus(PATIENCE));
            taker.report(name, adds, keys, addSeconds);
        }
    }

    private static void add(Contender queue, Expected expected, int adder, int adds, int keys, long start) {
        Random random = new Random(adder);
        for (int i = adder; i < adds; i += ADDERS) {
            int key = i % keys;
            long delay = random.nextLong(LONGEST.toNanos());
            long now = System.nanoTime();
            if (start != 0) {
                delay += start - now;
            }
            expected.added(key, now + delay);
            queue.addAfter(key, Duration.ofNanos(delay));
        }
    }

    /** When each key is to come: at the end of the earliest of its delays. */
    private static final class Expected {

        private final AtomicLongArray due;

        Expected(int keys) {
            this.due = new AtomicLongArray(keys);
        }

        void added(int key, long at) {
            due.accumulateAndGet(key, at, (one, other) -> one == 0 || other - one < 0 ? other : one);
        }

        /** Returns when the key that has come was due; 0 if it was not expected. */
        long came(int key) {
            return due.getAndSet(key, 0);
        }

        int outstanding() {
            int outstanding = 0;
            for (int key = 0; key < due.length(); key++) {
                outstanding += due.get(key) == 0 ? 0 : 1;
            }
            return outstanding;
        }
    }

    /** Takes keys and notes how late they come. */
    private static final class Taker implements Runnable {
        private final Contender queue;
        private final Expected expected;
        private final long tolerance;
        private long[] late = new long[1024];
        private int taken;
        private int early;
        private int delivered;

        Taker(Contender queue, Expected expected, long tolerance) {
            this.queue = queue;
            this.expected = expected;
            this.tolerance = tolerance;
        }

        @Override
        public void run() {
            try {
                for (Integer key = queue.take(); key != null; key = queue.take()) {
                    note(key);
                    queue.done(key);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private synchronized void note(int key) {
            long now = System.nanoTime();
            long at = expected.came(key);
            taken++;
            if (at == 0) {
                return;
            }
            delivered++;
            if (now - at < -tolerance) {
                early++;
            }
            if (delivered > late.length) {
                late = Arrays.copyOf(late, late.length * 2);
            }
            late[delivered - 1] = now - at;
        }

        void awaitQuiet(Duration limit) throws InterruptedException {
            long deadline = System.nanoTime() + limit.toNanos();
            while (expected.outstanding() > 0 && System.nanoTime() - deadline < 0) {
                TimeUnit.MILLISECONDS.sleep(200);
            }
        }

        synchronized void report(String name, int adds, int keys, double addSeconds) throws IOException {
            int lost = expected.outstanding();
            long[] sorted = Arrays.copyOf(late, delivered);
            Arrays.sort(sorted);
            List<String> cells = new ArrayList<>(List.of(
                    name,
                    Integer.toString(adds),
                    Integer.toString(keys),
                    Integer.toString(taken),
                    Integer.toString(lost),
                    Integer.toString(taken - delivered),
                    Integer.toString(early)));
            for (double quantile : new double[] {0.5, 0.99, 1}) {
                long value = sorted.length == 0 ? 0 : sorted[(int) Math.ceil(quantile * sorted.length) - 1];
                cells.add(String.format(Locale.ROOT, "%.2f", value / 1e6));
            }
            cells.add(String.format(Locale.ROOT, "%.2f", addSeconds));
            cells.add(Long.toString(peakMebibytes()));
            System.out.println(String.join("\t", cells));
        }

        private static long peakMebibytes() throws IOException {
            return Files.readAllLines(Path.of("/proc/self/status")).stream()
                    .filter(line -> line.startsWith("VmHWM:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) / 1024)
                    .findFirst()
                    .orElse(0);
        }
    }

    /** Ours. */
    private static final class Ours implements Contender {
        private final SystemTimer timer = new SystemTimer("queue-timer");
        private final WorkQueue<Integer> queue =
                WorkQueue.<Integer>named("delays").timer(timer).build();

        @Override
        public void addAfter(Integer key, Duration delay) {
            queue.addAfter(key, delay);
        }

        @Override
        public @Nullable Integer take() throws InterruptedException {
            return queue.take();
        }

        @Override
        public void done(Integer key) {
            queue.done(key);
        }

        @Override
        public void close() {
            queue.close();
            timer.close();
        }
    }

    /** client-java's. */
    private static final class ClientJava implements Contender {
        private final ExecutorService waiting = Executors.newSingleThreadExecutor();
        private final DefaultDelayingQueue<Integer> queue = new DefaultDelayingQueue<>(waiting);

        @Override
        public void addAfter(Integer key, Duration delay) {
            queue.addAfter(key, delay);
        }

        @Override
        public @Nullable Integer take() throws InterruptedException {
            return queue.get();
        }

        @Override
        public void done(Integer key) {
            queue.done(key);
        }

        @Override
        public void close() {
            queue.shutDown();
            waiting.shutdownNow();
        }
    }
}
