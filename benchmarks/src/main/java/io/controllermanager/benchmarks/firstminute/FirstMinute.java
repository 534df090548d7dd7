package io.controllermanager.benchmarks.firstminute;

import io.controllermanager.benchmarks.plane.Contender;
import io.controllermanager.benchmarks.plane.Spread;
import io.controllermanager.benchmarks.plane.Usage;
import io.controllermanager.benchmarks.throughput.ArrivalWatch;
import io.controllermanager.benchmarks.throughput.FooPlane;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Makes Foos, and then lets each contender in turn, as a new process, make what belongs to them: a Deployment, the status
 * and an Event each. Others are started alone in the same rounds, before no Foos, for what of it is the start: bare
 * applications, and the image.
 *
 * <p>Usage: {@code FirstMinute FOO_CRD FOOS ROUNDS CONTENDERS_FILE STARTS_FILE}; what the files hold, {@link Contender#read}
 * says, and of the second {@link Start#of}. Each contender's training runs first.
 */
public final class FirstMinute {

    private static final String PREFIX = "foo";

    /** As many of each object as the training of the image has. */
    private static final int TRAINING_FOOS = 200;

    private static final String ROW = "| %-34s | %-22s | %-22s | %-22s | %-17s | %-10s | %-13s |%n";

    private final FooPlane plane;

    private FirstMinute(FooPlane plane) {
        this.plane = plane;
    }

    /**
     * One run of one contender.
     *
     * @param firstSeconds from its launch to the first Deployment
     * @param lastSeconds from its launch to the last of all writes
     * @param usage what the process had used by then
     * @param writes how often anything was written in that time, Leases included
     */
    private record Run(double firstSeconds, double lastSeconds, Usage usage, long writes) {}

    /** Runs all rounds, and prints the medians. */
    public static void main(String[] args) throws Exception {
        int foos = Integer.parseInt(args[1]);
        int rounds = Integer.parseInt(args[2]);
        Map<Contender, List<Run>> runs = new LinkedHashMap<>();
        Map<Contender, List<Start>> starts = new LinkedHashMap<>();
        Contender.read(Path.of(args[3])).forEach(contender -> runs.put(contender, new ArrayList<>()));
        Contender.read(Path.of(args[4])).forEach(alone -> starts.put(alone, new ArrayList<>()));
        try (FooPlane plane = new FooPlane(Path.of(args[0]))) {
            FirstMinute benchmark = new FirstMinute(plane);
            for (Contender contender : runs.keySet()) {
                Contender trainee = contender.trainee();
                if (trainee != null) {
                    benchmark.run(trainee, TRAINING_FOOS);
                }
            }
            for (int round = 0; round < rounds; round++) {
                for (Map.Entry<Contender, List<Run>> contender : runs.entrySet()) {
                    contender.getValue().add(benchmark.run(contender.getKey(), foos));
                }
                plane.clear();
                for (Map.Entry<Contender, List<Start>> alone : starts.entrySet()) {
                    alone.getValue().add(Start.of(alone.getKey(), plane.kubeconfigFile()));
                }
            }
        }
        print("%d Foos, %d runs of each in turn, median (least to most)%n%n", foos, rounds);
        print(
                ROW,
                "",
                "first Deployment, s",
                "last write, s",
                "CPU, s",
                "peak RSS, MiB",
                "writes/Foo",
                "CPU to starts'");
        print("|---|---|---|---|---|---|---|%n");
        runs.forEach((contender, all) -> print(contender, all, foos, starts));
        starts.forEach(FirstMinute::print);
    }

    private static void print(Contender contender, List<Run> runs, int foos, Map<Contender, List<Start>> starts) {
        Spread cpu = Spread.of(runs, run -> run.usage().cpuSeconds());
        List<String> ratios = starts.values().stream()
                .map(all -> Spread.of(all, start -> start.usage().cpuSeconds()))
                .map(bare -> String.format(Locale.ROOT, "%.2f", cpu.median() / bare.median()))
                .toList();
        print(
                ROW,
                contender.name(),
                Spread.of(runs, Run::firstSeconds).text("%.2f"),
                Spread.of(runs, Run::lastSeconds).text("%.2f"),
                cpu.text("%.2f"),
                Spread.of(runs, run -> run.usage().peakMebibytes()).text("%.0f"),
                String.format(Locale.ROOT, "%.2f", Spread.of(runs, Run::writes).median() / foos),
                String.join(", ", ratios));
    }

    /** What is started alone writes nothing: its seconds are those to readiness. */
    private static void print(Contender alone, List<Start> starts) {
        print(
                ROW,
                alone.name(),
                "",
                Spread.of(starts, Start::seconds).text("%.2f"),
                Spread.of(starts, start -> start.usage().cpuSeconds()).text("%.2f"),
                Spread.of(starts, start -> start.usage().peakMebibytes()).text("%.0f"),
                "",
                "");
    }

    @SuppressWarnings("SystemOut")
    private static void print(String format, Object... arguments) {
        System.out.printf(Locale.ROOT, format, arguments);
    }

    private Run run(Contender contender, int foos) throws Exception {
        plane.clear();
        plane.makeFoos(PREFIX, foos);
        long before = plane.revision();
        try (ArrivalWatch deployments = plane.watchDeployments();
                ArrivalWatch statuses = plane.watchStatuses();
                ArrivalWatch events = plane.watchEvents()) {
            return contender.observe(plane.kubeconfigFile(), (process, launch) -> {
                long last = launch;
                for (ArrivalWatch watch : List.of(deployments, statuses, events)) {
                    watch.await(process, foos);
                    last = Math.max(last, watch.span(PREFIX).last());
                }
                Usage usage = Usage.of(process);
                double first = (deployments.span(PREFIX).first() - launch) / 1e9;
                return new Run(first, (last - launch) / 1e9, usage, plane.revision() - before);
            });
        }
    }
}
