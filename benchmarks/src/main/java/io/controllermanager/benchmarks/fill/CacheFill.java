package io.controllermanager.benchmarks.fill;

import io.controllermanager.benchmarks.plane.Contender;
import io.controllermanager.benchmarks.plane.TokenPlane;
import io.controllermanager.benchmarks.plane.Usage;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Makes ConfigMaps, and then lets each contender in turn, as a new process, fill its cache with them: once cold, and ten
 * more times with new informers.
 *
 * <p>Usage: {@code CacheFill OBJECTS ROUNDS CONTENDERS_FILE}; what the file holds, {@link Contender#read} says. Each command
 * gets two more words: the namespace to read, and how often. It prints {@code filled NANOSECONDS OBJECTS} after each fill,
 * and {@code heap BYTES} after the last, with one cache that is filled, and waits for a line from here each time, so that
 * it can be looked at while it does nothing. A training fills once, with a tenth of the objects.
 */
public final class CacheFill {

    private static final int WARM_FILLS = 10;
    private static final int COUNTED = 5;
    private static final String ALL = "all";
    private static final String TENTH = "tenth";

    private final TokenPlane plane;

    private CacheFill(TokenPlane plane) {
        this.plane = plane;
    }

    /** Runs all rounds; prints a line for each, and then one of medians for each contender. */
    public static void main(String[] args) throws Exception {
        int objects = Integer.parseInt(args[0]);
        int rounds = Integer.parseInt(args[1]);
        List<Contender> contenders = Contender.read(Path.of(args[2]));
        try (TokenPlane plane = new TokenPlane()) {
            CacheFill benchmark = new CacheFill(plane);
            benchmark.make(ALL, objects);
            benchmark.make(TENTH, objects / 10);
            for (Contender contender : contenders) {
                Contender trainee = contender.trainee();
                if (trainee != null) {
                    benchmark.measure(trainee, TENTH, objects / 10, 0);
                }
            }
            report(FillRun.HEADER);
            Map<Contender, List<FillRun>> results = new LinkedHashMap<>();
            for (int round = 1; round <= rounds; round++) {
                for (Contender contender : contenders) {
                    FillRun run = benchmark.measure(contender, ALL, objects, WARM_FILLS);
                    results.computeIfAbsent(contender, key -> new ArrayList<>()).add(run);
                    report(run.line(Integer.toString(round)));
                }
            }
            results.values().forEach(runs -> report(FillRun.median(runs).line("median")));
        }
    }

    private static void report(String line) {
        System.out.println(line);
    }

    private void make(String namespace, int objects) throws IOException, InterruptedException {
        plane.plane().createNamespace(namespace);
        plane.etcd().put(objects, Integer.MAX_VALUE, number -> ConfigMaps.stored(namespace, number));
        plane.awaitCount(plane.url("/api/v1/namespaces/" + namespace + "/configmaps"), objects);
    }

    private FillRun measure(Contender contender, String namespace, int objects, int warmFills) throws Exception {
        File log = File.createTempFile("contender-", ".log");
        List<String> command = new ArrayList<>(contender.command());
        command.add(namespace);
        command.add(Integer.toString(1 + warmFills));
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(log);
        builder.environment().put("KUBECONFIG", plane.kubeconfigFile().toString());
        Process process = builder.start();
        try (BufferedReader out = process.inputReader();
                OutputStream in = process.getOutputStream()) {
            double coldMillis = filled(out, objects);
            Usage cold = Usage.of(process);
            double[] millis = new double[warmFills];
            double[] cpu = new double[warmFills];
            double[] serverCpu = new double[warmFills];
            for (int i = 0; i < warmFills; i++) {
                double cpuBefore = Usage.of(process).cpuSeconds();
                double serverBefore = serverCpuSeconds();
                goOn(in);
                millis[i] = filled(out, objects);
                cpu[i] = Usage.of(process).cpuSeconds() - cpuBefore;
                serverCpu[i] = serverCpuSeconds() - serverBefore;
            }
            goOn(in);
            double heap = number(out, "heap ", 1) / (1 << 20);
            double peak = Usage.of(process).peakMebibytes();
            goOn(in);
            if (!process.waitFor(1, TimeUnit.MINUTES) || process.exitValue() != 0) {
                throw new IOException("does not end well");
            }
            Files.delete(log.toPath());
            return new FillRun(
                    contender.name(),
                    coldMillis,
                    cold.cpuSeconds(),
                    cold.peakMebibytes(),
                    lastOnes(millis),
                    lastOnes(cpu),
                    lastOnes(serverCpu),
                    heap,
                    peak);
        } catch (IOException e) {
            throw new IOException(contender.name() + ": " + e.getMessage() + "; its log is " + log, e);
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    /** The median of the last fills: zero where there are none, as in a training. */
    private static double lastOnes(double[] figures) {
        return figures.length == 0
                ? 0
                : FillRun.median(Arrays.copyOfRange(figures, figures.length - COUNTED, figures.length));
    }

    private double serverCpuSeconds() {
        long apiServer = plane.plane().processIds().get(1);
        return ProcessHandle.of(apiServer)
                        .flatMap(process -> process.info().totalCpuDuration())
                        .orElseThrow()
                        .toMillis()
                / 1000.0;
    }

    /** How long a fill took, in milliseconds. */
    private static double filled(BufferedReader out, int objects) throws IOException {
        String line = line(out, "filled ");
        int there = (int) number(line, 2);
        if (there != objects) {
            throw new IOException("has " + there + " of " + objects + " objects");
        }
        return number(line, 1) / 1e6;
    }

    private static double number(BufferedReader out, String prefix, int word) throws IOException {
        return number(line(out, prefix), word);
    }

    private static double number(String line, int word) {
        return Double.parseDouble(line.split(" ", -1)[word]);
    }

    /** The next line that begins so; a logger may write others. */
    private static String line(BufferedReader out, String prefix) throws IOException {
        String line = out.readLine();
        while (line != null && !line.startsWith(prefix)) {
            line = out.readLine();
        }
        if (line == null) {
            throw new IOException("ended without a line of \"" + prefix + "\"");
        }
        return line;
    }

    private static void goOn(OutputStream in) throws IOException {
        in.write('\n');
        in.flush();
    }
}
