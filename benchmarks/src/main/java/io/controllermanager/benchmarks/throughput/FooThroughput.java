package io.controllermanager.benchmarks.throughput;

import io.controllermanager.testing.controlplane.ControlPlane;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.AppsV1Api;
import io.kubernetes.client.openapi.apis.CoordinationV1Api;
import io.kubernetes.client.openapi.apis.CustomObjectsApi;
import io.kubernetes.client.util.Config;
import java.io.File;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Starts an etcd and a kube-apiserver (and nothing else, so that the Deployments' own controllers take no processor time),
 * makes Foos, and then lets each contender in turn make their Deployments as a new process.
 *
 * <p>Usage: {@code FooThroughput FOO_CRD FOOS ROUNDS CONTENDERS_FILE}; each line of the file is a name, a tab, and a
 * command whose words are separated by single blanks.
 */
public final class FooThroughput {

    private static final String NAMESPACE = "default";
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private final ControlPlane plane;
    private final ApiClient client;
    private final int foos;

    private FooThroughput(ControlPlane plane, int foos) throws IOException {
        this.plane = plane;
        this.client = Config.fromConfig(new StringReader(plane.kubeconfig()));
        this.foos = foos;
    }

    /** Runs all rounds and prints one line for each. */
    public static void main(String[] args) throws Exception {
        Path crd = Path.of(args[0]);
        int foos = Integer.parseInt(args[1]);
        int rounds = Integer.parseInt(args[2]);
        List<Contender> contenders = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of(args[3]))) {
            String[] parts = line.split("\t", 2);
            contenders.add(new Contender(parts[0], List.of(parts[1].split(" ", -1))));
        }
        try (ControlPlane plane = ControlPlane.builder().start()) {
            FooThroughput benchmark = new FooThroughput(plane, foos);
            benchmark.apply(crd);
            benchmark.makeFoos();
            report(Measurement.HEADER);
            for (int round = 1; round <= rounds; round++) {
                for (Contender contender : contenders) {
                    report(benchmark.measure(contender, round).toString());
                }
            }
        }
    }

    private static void report(String line) {
        System.out.println(line);
    }

    private void apply(Path crd) throws IOException, InterruptedException {
        run("kubectl", "--kubeconfig", plane.kubeconfigFile().toString(), "apply", "-f", crd.toString());
        run(
                "kubectl",
                "--kubeconfig",
                plane.kubeconfigFile().toString(),
                "wait",
                "--for=condition=Established",
                "crd/foos.samplecontroller.k8s.io");
    }

    private static void run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(String.join(" ", command) + ": " + output);
        }
    }

    private void makeFoos() throws Exception {
        CustomObjectsApi api = new CustomObjectsApi(client);
        ExecutorService pool = Executors.newFixedThreadPool(16);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < foos; i++) {
                String name = String.format("foo-%05d", i);
                Map<String, Object> foo = Map.of(
                        "apiVersion",
                        "samplecontroller.k8s.io/v1alpha1",
                        "kind",
                        "Foo",
                        "metadata",
                        Map.of("name", name),
                        "spec",
                        Map.of("deploymentName", name, "replicas", 1));
                all.add(pool.submit(() -> api.createNamespacedCustomObject(
                                "samplecontroller.k8s.io", "v1alpha1", NAMESPACE, "foos", foo)
                        .execute()));
            }
            for (Future<?> one : all) {
                one.get();
            }
        } finally {
            pool.shutdown();
        }
    }

    private Measurement measure(Contender contender, int round) throws Exception {
        String resourceVersion = clear();
        File log = File.createTempFile("contender-", ".log");
        try (ArrivalWatch watch = new ArrivalWatch(client, NAMESPACE, resourceVersion, foos)) {
            ProcessBuilder builder = new ProcessBuilder(contender.command())
                    .redirectErrorStream(true)
                    .redirectOutput(log);
            builder.environment().put("KUBECONFIG", plane.kubeconfigFile().toString());
            long launch = System.nanoTime();
            Process process = builder.start();
            try {
                if (!watch.await(LIMIT)) {
                    throw new IllegalStateException(contender.name() + " made " + watch.count() + " of " + foos
                            + " Deployments within " + LIMIT + "; its log is " + log);
                }
                double cpu =
                        process.info().totalCpuDuration().orElse(Duration.ZERO).toMillis() / 1000.0;
                long memory = peakMemoryMebibytes(process.pid());
                Files.delete(log.toPath());
                return new Measurement(
                        contender.name(),
                        round,
                        watch.count(),
                        (watch.first() - launch) / 1e9,
                        (watch.last() - watch.first()) / 1e9,
                        cpu,
                        memory);
            } finally {
                process.destroy();
                if (!process.waitFor(40, TimeUnit.SECONDS)) {
                    process.destroyForcibly().waitFor();
                }
            }
        }
    }

    private static long peakMemoryMebibytes(long pid) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc", Long.toString(pid), "status"))) {
            if (line.startsWith("VmHWM:")) {
                return Long.parseLong(line.replaceAll("\\D", "")) / 1024;
            }
        }
        return 0;
    }

    /** Removes what an earlier contender made, and says from where to watch. */
    private String clear() throws ApiException {
        AppsV1Api apps = new AppsV1Api(client);
        apps.deleteCollectionNamespacedDeployment(NAMESPACE)
                .propagationPolicy("Background")
                .execute();
        new CoordinationV1Api(client).deleteCollectionNamespacedLease(NAMESPACE).execute();
        return apps.listNamespacedDeployment(NAMESPACE).execute().getMetadata().getResourceVersion();
    }
}
