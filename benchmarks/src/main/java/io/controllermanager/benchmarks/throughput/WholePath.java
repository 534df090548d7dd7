package io.controllermanager.benchmarks.throughput;

import io.controllermanager.benchmarks.plane.Contender;
import io.controllermanager.benchmarks.plane.Usage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Makes Foos, and then lets each contender in turn, as a new process, make their Deployments: for the Foos that are there
 * when it starts, for single ones, for a second wave, and for single ones again.
 *
 * <p>Usage: {@code WholePath FOO_CRD FOOS WAVE SINGLES ROUNDS CONTENDERS_FILE}; what the file holds, {@link
 * Contender#read} says. Each contender's training runs first, with a tenth of all numbers.
 */
public final class WholePath {

    private static final int SINGLES_PER_SECOND = 50;
    private static final String COLD = "foo";
    private static final String WAVE = "wave";

    private final FooPlane plane;
    private final int foos;
    private final int wave;
    private final int singles;

    private WholePath(FooPlane plane, int foos, int wave, int singles) {
        this.plane = plane;
        this.foos = foos;
        this.wave = wave;
        this.singles = singles;
    }

    /** Runs all rounds; prints a line for each, and then one of medians for each contender. */
    public static void main(String[] args) throws Exception {
        List<Contender> contenders = Contender.read(Path.of(args[5]));
        int rounds = Integer.parseInt(args[4]);
        try (FooPlane plane = new FooPlane(Path.of(args[0]))) {
            WholePath benchmark = new WholePath(
                    plane, Integer.parseInt(args[1]), Integer.parseInt(args[2]), Integer.parseInt(args[3]));
            Map<Contender, List<Measurement>> results = new LinkedHashMap<>();
            report(Measurement.HEADER);
            benchmark.train(contenders);
            for (int round = 1; round <= rounds; round++) {
                for (Contender contender : contenders) {
                    Measurement measurement = benchmark.measure(contender);
                    results.computeIfAbsent(contender, key -> new ArrayList<>()).add(measurement);
                    report(measurement.line(Integer.toString(round)));
                }
            }
            results.values().forEach(runs -> report(Measurement.median(runs).line("median")));
        }
    }

    private static void report(String line) {
        System.out.println(line);
    }

    private void train(List<Contender> contenders) throws Exception {
        WholePath shorter = new WholePath(plane, foos / 10, wave / 10, singles / 10);
        for (Contender contender : contenders) {
            Contender trainee = contender.trainee();
            if (trainee != null) {
                shorter.measure(trainee);
            }
        }
    }

    private Measurement measure(Contender contender) throws Exception {
        plane.clear();
        plane.makeFoos(COLD, foos);
        try (ArrivalWatch watch = plane.watchDeployments()) {
            return contender.observe(
                    plane.kubeconfigFile(), (process, launch) -> measure(contender.name(), process, launch, watch));
        }
    }

    private Measurement measure(String contender, Process process, long launch, ArrivalWatch watch) throws Exception {
        watch.await(process, foos);
        Usage cold = Usage.of(process);
        ArrivalWatch.Span coldSpan = watch.span(COLD);

        Latency coldLatency = latency("cold", process, watch, foos);

        Usage before = Usage.of(process);
        plane.makeWave(WAVE, wave);
        watch.await(process, foos + singles + wave);
        Usage after = Usage.of(process);
        ArrivalWatch.Span warmSpan = watch.span(WAVE);

        Latency warmLatency = latency("warm", process, watch, foos + singles + wave);
        return new Measurement(
                contender,
                (coldSpan.first() - launch) / 1e9,
                (coldSpan.last() - launch) / 1e9,
                foos * 1e9 / (coldSpan.last() - coldSpan.first()),
                cold,
                coldLatency,
                wave * 1e9 / (warmSpan.last() - warmSpan.first()),
                after.cpuSeconds() - before.cpuSeconds(),
                Usage.of(process).peakMebibytes(),
                warmLatency);
    }

    /** From the API server's answer to each single Foo's creation, until its Deployment is seen. */
    private Latency latency(String prefix, Process process, ArrivalWatch watch, int arrivedBefore) throws Exception {
        long[] created = new long[singles];
        ScheduledExecutorService threads = Executors.newScheduledThreadPool(4);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < singles; i++) {
                int index = i;
                all.add(threads.schedule(
                        () -> {
                            create(FooPlane.name(prefix, index));
                            created[index] = System.nanoTime();
                        },
                        i * 1_000L / SINGLES_PER_SECOND,
                        TimeUnit.MILLISECONDS));
            }
            for (Future<?> one : all) {
                one.get();
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException("a Foo was not created", e);
        } finally {
            threads.shutdown();
        }
        watch.await(process, arrivedBefore + singles);
        long[] nanos = new long[singles];
        for (int i = 0; i < singles; i++) {
            nanos[i] = watch.arrival(FooPlane.name(prefix, i)) - created[i];
        }
        return Latency.of(nanos);
    }

    private void create(String name) {
        try {
            plane.create(name);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
