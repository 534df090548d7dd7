package io.controllermanager.benchmarks.queue;

import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * How much processor time a key costs that is added, taken and done, as in {@link QueueThroughput}. On a machine that has
 * other work this says more than cycles a second, since it counts only what the threads that were measured have used.
 */
public final class QueueCpuTime {

    private static final int CYCLES = 6_000_000;
    private static final int ROUNDS = 5;

    private QueueCpuTime() {}

    /**
     * Prints the median of some rounds, the first one left out.
     *
     * @param args the contender's name, the number of threads
     */
    public static void main(String[] args) throws Exception {
        int threads = Integer.parseInt(args[1]);
        double[] nanos = new double[ROUNDS];
        try (QueueContender queue = QueueContender.named(args[0])) {
            round(queue, threads);
            for (int i = 0; i < ROUNDS; i++) {
                nanos[i] = round(queue, threads);
            }
        }
        Arrays.sort(nanos);
        System.out.printf("%s\t%d\t%.0f%n", args[0], threads, nanos[ROUNDS / 2]);
    }

    private static double round(QueueContender queue, int threads) throws Exception {
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            @SuppressWarnings({"unchecked", "rawtypes"})
            Future<Long>[] spent = new Future[threads];
            for (int t = 0; t < threads; t++) {
                int thread = t;
                spent[t] = executor.submit(() -> cycles(queue, thread, CYCLES / threads));
            }
            long sum = 0;
            for (Future<Long> one : spent) {
                sum += one.get();
            }
            return (double) sum / CYCLES;
        } finally {
            executor.shutdown();
        }
    }

    private static long cycles(QueueContender queue, int thread, int number) throws InterruptedException {
        String[] keys = new String[128];
        Arrays.setAll(keys, i -> "namespace-" + thread + "/name-" + i);
        long before = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        for (int i = 0; i < number; i++) {
            queue.add(keys[i & 127]);
            String taken = queue.take();
            queue.done(taken);
            keys[i & 127] = taken;
        }
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - before;
    }
}
