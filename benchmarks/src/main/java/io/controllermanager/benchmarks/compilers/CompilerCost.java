package io.controllermanager.benchmarks.compilers;

import io.controllermanager.benchmarks.plane.Contender;
import io.controllermanager.benchmarks.plane.ContenderProcess;
import io.controllermanager.benchmarks.throughput.FooPlane;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Launches the executable with one JVM policy after another in front of Foos that have their Deployments, as after a
 * restart, and tells what its first minutes cost at some loads.
 *
 * <p>Usage: {@code CompilerCost FOO_CRD MINUTES CONTENDERS_FILE LOADS...}; what the file holds, {@link Contender#read}
 * and {@link ContenderProcess#launch} say.
 */
public final class CompilerCost {

    /** What the names of Foos begin with. */
    static final String FOO = "foo";

    private static final int FOOS = 1_000;

    /** The highest load at which contenders leave each other enough of the processors. */
    private static final int LIGHT = 10;

    private static final String WARM_UP = "warm-up";
    private static final int WARM_UP_LOAD = 300;
    private static final int WARM_UP_SECONDS = 20;

    private final Path crd;
    private final int minutes;

    private CompilerCost(Path crd, int minutes) {
        this.crd = crd;
        this.minutes = minutes;
    }

    /** Prints a line for each load and contender. */
    public static void main(String[] args) throws Exception {
        CompilerCost benchmark = new CompilerCost(Path.of(args[0]), Integer.parseInt(args[1]));
        List<Contender> contenders = Contender.read(Path.of(args[2]));
        report(PolicyRun.HEADER);
        List<Load> light = new ArrayList<>();
        List<Load> heavy = new ArrayList<>();
        for (String argument : List.of(args).subList(3, args.length)) {
            int perSecond = Integer.parseInt(argument);
            for (Contender contender : contenders) {
                (perSecond <= LIGHT ? light : heavy).add(new Load(contender, perSecond));
            }
        }
        if (!light.isEmpty()) {
            benchmark.measure(light);
        }
        for (Load load : heavy) {
            benchmark.measure(List.of(load));
        }
    }

    /** A contender and how many changes a second it is given. */
    private record Load(Contender contender, int perSecond) {}

    @SuppressWarnings("SystemOut")
    private static void report(String line) {
        System.out.println(line);
    }

    /**
     * Measures contenders side by side, each with a namespace and a Lease of its own, in front of a new API server. They are
     * launched a minute apart, so that the first minute of each is nobody else's.
     */
    private void measure(List<Load> loads) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(loads.size());
        try (FooPlane plane = new FooPlane(crd)) {
            prepare(plane, loads);
            List<Future<PolicyRun>> runs = new ArrayList<>();
            for (int i = 0; i < loads.size(); i++) {
                int index = i;
                Load load = loads.get(i);
                runs.add(threads.submit(() -> {
                    TimeUnit.MINUTES.sleep(index);
                    return PolicyRun.of(load.contender(), plane, namespace(index), FOOS, load.perSecond(), minutes);
                }));
            }
            try {
                for (Future<PolicyRun> run : runs) {
                    report(run.get().line());
                }
            } catch (ExecutionException e) {
                throw new IllegalStateException("a run failed", e.getCause());
            } finally {
                threads.shutdownNow();
                // Each ends its process.
                threads.awaitTermination(1, TimeUnit.MINUTES);
            }
        }
    }

    /** An uncounted run makes the Deployments, and is given changes elsewhere until API server and driver are warm. */
    private static void prepare(FooPlane plane, List<Load> loads) throws IOException, InterruptedException {
        try (ContenderProcess process =
                ContenderProcess.launch(loads.get(0).contender(), plane.kubeconfigFile(), List.of())) {
            process.awaitReady();
            for (int i = 0; i < loads.size(); i++) {
                makeObjects(plane, namespace(i));
            }
            makeObjects(plane, WARM_UP);
            try (Changes changes = new Changes(plane, WARM_UP, FOOS, WARM_UP_LOAD, WARM_UP_SECONDS)) {
                long begin = System.nanoTime();
                changes.make(begin, begin + TimeUnit.SECONDS.toNanos(WARM_UP_SECONDS));
            }
        }
    }

    private static void makeObjects(FooPlane plane, String namespace) throws IOException, InterruptedException {
        plane.makeNamespace(namespace);
        plane.makeFoos(namespace, FOO, FOOS);
        plane.awaitDeployments(namespace, FOOS);
    }

    private static String namespace(int index) {
        return "policy-" + index;
    }
}
