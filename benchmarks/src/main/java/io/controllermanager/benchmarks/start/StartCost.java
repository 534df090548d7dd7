package io.controllermanager.benchmarks.start;

import io.controllermanager.benchmarks.plane.Contender;
import io.controllermanager.benchmarks.plane.TokenPlane;
import io.controllermanager.benchmarks.plane.Usage;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import okhttp3.MediaType;
import okhttp3.Request;
import okhttp3.RequestBody;

/**
 * Starts managers one after another before a real API server with some Foos, each several times in turn, and tells how
 * long each takes until its readiness is up, which is when its caches are synced, and what it has used by then.
 */
public final class StartCost {

    private static final int FOOS = 100;
    private static final long LIMIT_NANOS = TimeUnit.MINUTES.toNanos(2);
    private static final String CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    private static final String FOOS_PATH = "/apis/samplecontroller.k8s.io/v1alpha1/namespaces/default/foos";
    private static final MediaType YAML = MediaType.get("application/yaml");

    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private StartCost() {}

    private record Start(double seconds, Usage usage) {}

    /**
     * Measures.
     *
     * @param arguments the directory of the CRDs, the number of rounds, the file of {@link Contender}s, whose commands
     *     have {@code PORT} where the port goes
     */
    @SuppressWarnings("SystemOut")
    public static void main(String[] arguments) throws Exception {
        Path crds = Path.of(arguments[0]);
        int rounds = Integer.parseInt(arguments[1]);
        Map<Contender, List<Start>> starts = new LinkedHashMap<>();
        for (Contender contender : Contender.read(Path.of(arguments[2]))) {
            starts.put(contender, new ArrayList<>());
        }
        try (TokenPlane plane = new TokenPlane()) {
            prepare(plane, crds);
            for (int round = 0; round < rounds; round++) {
                for (Map.Entry<Contender, List<Start>> contender : starts.entrySet()) {
                    contender.getValue().add(start(contender.getKey(), plane));
                }
            }
        }
        System.out.printf("%d starts of each in turn, median (least to most)%n%n", rounds);
        System.out.printf("| %-44s | %-18s | %-18s | %-15s |%n", "", "ready after, s", "CPU, s", "peak RSS, MiB");
        System.out.println("|---|---|---|---|");
        starts.forEach((contender, all) -> System.out.printf(
                "| %-44s | %-18s | %-18s | %-15s |%n",
                contender.name(),
                spread(all, Start::seconds, "%.2f"),
                spread(all, start -> start.usage().cpuSeconds(), "%.2f"),
                spread(all, start -> start.usage().peakMebibytes(), "%.0f")));
    }

    private static String spread(List<Start> starts, ToDoubleFunction<Start> figure, String format) {
        double[] sorted = starts.stream().mapToDouble(figure).sorted().toArray();
        return String.format(
                Locale.ROOT,
                format + " (" + format + " to " + format + ")",
                sorted[sorted.length / 2],
                sorted[0],
                sorted[sorted.length - 1]);
    }

    private static void prepare(TokenPlane plane, Path crds) throws IOException, InterruptedException {
        for (String crd : List.of("samplecontroller.k8s.io_foos.yaml", "sample.k8s.io_networks.yaml")) {
            plane.send(new Request.Builder()
                    .url(plane.url(CRDS))
                    .post(RequestBody.create(Files.readString(crds.resolve(crd)), YAML)));
        }
        for (int i = 0; i < FOOS; i++) {
            String foo = """
                    {"apiVersion":"samplecontroller.k8s.io/v1alpha1","kind":"Foo","metadata":{"name":"start-%d"},\
                    "spec":{"deploymentName":"start-%d","replicas":1}}""".formatted(i, i);
            createOnceServed(plane, foo);
        }
    }

    private static void createOnceServed(TokenPlane plane, String foo) throws IOException, InterruptedException {
        long end = System.nanoTime() + LIMIT_NANOS;
        while (true) {
            try {
                plane.send(new Request.Builder().url(plane.url(FOOS_PATH)).post(RequestBody.create(foo, YAML)));
                return;
            } catch (IOException e) {
                // The CRD was made a moment ago.
                if (System.nanoTime() > end) {
                    throw e;
                }
                TimeUnit.MILLISECONDS.sleep(100);
            }
        }
    }

    private static Start start(Contender contender, TokenPlane plane) throws IOException, InterruptedException {
        int port = freePort();
        List<String> command = contender.command().stream()
                .map(word -> word.replace("PORT", Integer.toString(port)))
                .toList();
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(Redirect.to(new File("/dev/null")));
        builder.environment().put("KUBECONFIG", plane.kubeconfigFile().toString());
        HttpRequest readiness = HttpRequest.newBuilder(
                        URI.create("http://localhost:" + port + "/actuator/health/readiness"))
                .build();
        long started = System.nanoTime();
        Process process = builder.start();
        try {
            while (!isReady(readiness)) {
                if (!process.isAlive() || System.nanoTime() - started > LIMIT_NANOS) {
                    throw new IOException(contender.name() + " does not become ready");
                }
                // Not more often: each answer costs processor time that is counted.
                TimeUnit.MILLISECONDS.sleep(20);
            }
            return new Start((System.nanoTime() - started) / 1e9, Usage.of(process));
        } finally {
            process.destroy();
            process.waitFor();
        }
    }

    private static boolean isReady(HttpRequest readiness) throws InterruptedException {
        try {
            return HTTP.send(readiness, BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException e) {
            return false;
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
