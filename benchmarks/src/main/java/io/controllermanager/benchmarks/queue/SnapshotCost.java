package io.controllermanager.benchmarks.queue;

import io.controllermanager.time.internal.SystemTimer;
import io.controllermanager.workqueue.internal.WorkQueue;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;

/** How long a snapshot takes of a queue with a million keys ready, as many delayed and as many that have failed. */
public final class SnapshotCost {

    private static final int KEYS = 1_000_000;
    private static final int NAMESPACES = 10_000;
    private static final int ROUNDS = 50;

    private SnapshotCost() {}

    /** Prints the median and the longest of some snapshots, and of those without the list of failures. */
    public static void main(String[] args) {
        try (SystemTimer timer = new SystemTimer("queue-timer");
                WorkQueue<Integer> queue = WorkQueue.<Integer>named("crowded")
                        .timer(timer)
                        .fairness(key -> key % NAMESPACES)
                        .build()) {
            Random random = new Random(1);
            for (int key = 0; key < KEYS; key++) {
                queue.add(key);
                queue.addAfter(key, Duration.ofSeconds(1000 + random.nextInt(100_000)));
            }
            measure("ready, delayed", queue);
            for (int key = 0; key < KEYS; key++) {
                queue.addRateLimited(key);
            }
            measure("ready, delayed, failed", queue);
        }
    }

    private static void measure(String what, WorkQueue<Integer> queue) {
        double[] millis = new double[ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            long began = System.nanoTime();
            queue.snapshot();
            millis[i] = (System.nanoTime() - began) / 1e6;
        }
        Arrays.sort(millis);
        System.out.printf(Locale.ROOT, "%s\t%.2f\t%.2f%n", what, millis[ROUNDS / 2], millis[ROUNDS - 1]);
    }
}
