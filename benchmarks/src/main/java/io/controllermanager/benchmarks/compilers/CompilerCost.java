package io.controllermanager.benchmarks.compilers;

import io.controllermanager.benchmarks.plane.Contender;
import io.controllermanager.benchmarks.plane.ContenderProcess;
import io.controllermanager.benchmarks.throughput.FooPlane;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
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
    private static final String MEASURED = "measured";
    private static final String WARM_UP = "warm-up";
    private static final int WARM_UP_LOAD = 300;
    private static final int WARM_UP_SECONDS = 20;

    private CompilerCost() {}

    /** Prints a line for each load and contender, each before a new API server. */
    public static void main(String[] args) throws Exception {
        report(PolicyRun.HEADER);
        for (String load : List.of(args).subList(3, args.length)) {
            for (Contender contender : Contender.read(Path.of(args[2]))) {
                try (FooPlane plane = new FooPlane(Path.of(args[0]))) {
                    prepare(plane, contender);
                    report(PolicyRun.of(
                                    contender, plane, MEASURED, FOOS, Integer.parseInt(load), Integer.parseInt(args[1]))
                            .line());
                }
            }
        }
    }

    @SuppressWarnings("SystemOut")
    private static void report(String line) {
        System.out.println(line);
    }

    /** An uncounted run makes the Deployments, and is given changes elsewhere until API server and driver are warm. */
    private static void prepare(FooPlane plane, Contender contender) throws IOException, InterruptedException {
        try (ContenderProcess process = ContenderProcess.launch(contender, plane.kubeconfigFile(), List.of())) {
            process.awaitReady();
            for (String namespace : List.of(MEASURED, WARM_UP)) {
                plane.makeNamespace(namespace);
                plane.makeFoos(namespace, FOO, FOOS);
                plane.awaitDeployments(namespace, FOOS);
            }
            try (Changes changes = new Changes(plane, WARM_UP, FOOS, WARM_UP_LOAD, WARM_UP_SECONDS)) {
                long begin = System.nanoTime();
                changes.make(begin, begin + TimeUnit.SECONDS.toNanos(WARM_UP_SECONDS));
            }
        }
    }
}
