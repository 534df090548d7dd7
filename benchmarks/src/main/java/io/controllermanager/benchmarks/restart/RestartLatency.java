package io.controllermanager.benchmarks.restart;

import io.controllermanager.benchmarks.throughput.FooPlane;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * Starts a {@link RestartRun} as a new process in front of many Foos, with priorities and without.
 *
 * <p>Usage: {@code RestartLatency FOO_CRD FOOS ROUNDS [JVM FLAGS...]}.
 */
public final class RestartLatency {

    private RestartLatency() {}

    /** Runs all rounds; prints one line for each. */
    public static void main(String[] args) throws Exception {
        int foos = Integer.parseInt(args[1]);
        int rounds = Integer.parseInt(args[2]);
        List<String> flags = List.of(args).subList(3, args.length);
        System.out.println(RestartRun.HEADER);
        try (FooPlane plane = new FooPlane(Path.of(args[0]))) {
            for (int round = 1; round <= rounds; round++) {
                for (String priorities : List.of("on", "off")) {
                    plane.clear();
                    plane.makeFoos("foo", foos);
                    run(plane, flags, List.of(Integer.toString(foos), priorities, Integer.toString(round)));
                }
            }
        }
    }

    private static void run(FooPlane plane, List<String> flags, List<String> args)
            throws IOException, InterruptedException {
        List<String> command = new java.util.ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(flags);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), RestartRun.class.getName()));
        command.addAll(args);
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("KUBECONFIG", plane.kubeconfigFile().toString());
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(output);
        }
        output.lines().filter(line -> line.startsWith("priorities")).forEach(System.out::println);
    }
}
