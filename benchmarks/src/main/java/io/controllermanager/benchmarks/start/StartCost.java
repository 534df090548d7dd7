package io.controllermanager.benchmarks.start;

import io.controllermanager.benchmarks.plane.Contender;
import io.controllermanager.benchmarks.plane.Spread;
import io.controllermanager.benchmarks.plane.TokenPlane;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
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

    private StartCost() {}

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
                    contender.getValue().add(Start.of(contender.getKey(), plane.kubeconfigFile()));
                }
            }
        }
        System.out.printf("%d starts of each in turn, median (least to most)%n%n", rounds);
        System.out.printf("| %-44s | %-18s | %-18s | %-15s |%n", "", "ready after, s", "CPU, s", "peak RSS, MiB");
        System.out.println("|---|---|---|---|");
        starts.forEach((contender, all) -> System.out.printf(
                "| %-44s | %-18s | %-18s | %-15s |%n",
                contender.name(),
                Spread.of(all, Start::seconds).text("%.2f"),
                Spread.of(all, start -> start.usage().cpuSeconds()).text("%.2f"),
                Spread.of(all, start -> start.usage().peakMebibytes()).text("%.0f")));
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
}
