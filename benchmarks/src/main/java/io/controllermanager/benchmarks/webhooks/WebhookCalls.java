package io.controllermanager.benchmarks.webhooks;

import io.controllermanager.benchmarks.plane.Contender;
import io.controllermanager.benchmarks.plane.Paced;
import io.controllermanager.benchmarks.plane.Spread;
import io.controllermanager.benchmarks.plane.TokenPlane;
import io.controllermanager.benchmarks.plane.WriteConnection;
import io.controllermanager.benchmarks.throughput.FooPlane;
import io.controllermanager.benchmarks.throughput.Latency;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.SocketFactory;
import okhttp3.Request;

/**
 * Lets contenders in turn, each a new process, answer for Foos that are created at one API server, and for the same Foo again and
 * again over connections of its own.
 *
 * <p>Usage: {@code WebhookCalls FOO_CRD ROUNDS CERTIFICATE URL CONTENDERS_FILE}. The first contender serves with that certificate at
 * that URL, and is registered here. Others do that themselves, and are compared with it.
 */
public final class WebhookCalls {

    private static final int MANY = 8;
    private static final int CREATES = 400;
    private static final int CALLS = 2_000;
    private static final int WARM_UP = 6_000;
    private static final long LIMIT_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final String FOOS = "/apis/samplecontroller.k8s.io/v1alpha1/namespaces/default/foos";
    private static final String SPEC = "{\"deploymentName\":\"nginx\"}";

    private final FooPlane foos;
    private final TokenPlane plane;
    private final Registered defaulter;
    private final Registered validator;
    private final SocketFactory toApiServer;
    private final URI apiServer;
    private final AtomicInteger names = new AtomicInteger();

    private WebhookCalls(FooPlane foos) {
        this.foos = foos;
        this.plane = foos.plane();
        this.defaulter = new Registered(plane, "mutatingwebhookconfigurations");
        this.validator = new Registered(plane, "validatingwebhookconfigurations");
        this.toApiServer = plane.client().getHttpClient().sslSocketFactory();
        this.apiServer = URI.create(plane.client().getBasePath());
    }

    /** One call of a run. */
    @FunctionalInterface
    private interface Call {
        void send(WriteConnection connection, int number) throws IOException;
    }

    /** Runs all rounds, after one that is not counted, and prints the table. */
    public static void main(String[] arguments) throws Exception {
        byte[] certificate = Files.readAllBytes(Path.of(arguments[2]));
        List<Contender> contenders = Contender.read(Path.of(arguments[4]));
        Map<String, List<Map<String, Double>>> results = new LinkedHashMap<>();
        try (FooPlane foos = new FooPlane(Path.of(arguments[0]))) {
            WebhookCalls calls = new WebhookCalls(foos);
            for (int round = 0; round <= Integer.parseInt(arguments[1]); round++) {
                for (Contender contender : contenders) {
                    calls.clear();
                    if (contender.equals(contenders.get(0))) {
                        calls.register(arguments[3], certificate);
                    }
                    Contender trainee = round == 0 ? contender.trainee() : null;
                    boolean counted = round > 0;
                    Map<String, Double> figures = Objects.requireNonNullElse(trainee, contender)
                            .observe(
                                    foos.kubeconfigFile(),
                                    (process, launch) -> calls.measure(process, launch, counted));
                    if (counted) {
                        results.computeIfAbsent(contender.name(), name -> new ArrayList<>())
                                .add(figures);
                    }
                }
            }
        }
        print(results);
    }

    private void clear() throws IOException, InterruptedException {
        foos.clear();
        defaulter.remove();
        validator.remove();
        // With the certificates that a contender has made.
        plane.send(new Request.Builder()
                .url(plane.url("/api/v1/namespaces/default/secrets"))
                .delete());
    }

    private void register(String url, byte[] certificate) throws IOException {
        defaulter.add(url + "/mutate-samplecontroller-k8s-io-v1alpha1-foo", certificate);
        validator.add(url + "/validate-samplecontroller-k8s-io-v1alpha1-foo", certificate);
    }

    private Map<String, Double> measure(Process process, long launch, boolean killed) throws Exception {
        Map<String, Double> figures = new LinkedHashMap<>();
        awaitFirst(process, launch);
        figures.put("start to the first admitted write, ms", (System.nanoTime() - launch) / 1e6);
        SocketFactory sockets = defaulter.sockets();
        URI defaults = URI.create(defaulter.url());
        URI validates = URI.create(validator.url());
        Call create = (connection, number) -> connection.send("POST", FOOS, foo(SPEC));
        String bare = review(SPEC);
        String filled = review(SPEC.replace("}", ",\"replicas\":1}"));
        Call call = (connection, number) -> {
            boolean first = number % 2 == 0;
            String answer = connection.send(
                    "POST", (first ? defaults : validates).getPath() + "?timeout=10s", first ? bare : filled);
            if (!answer.contains("\"allowed\":true") || first != answer.contains("\"patch\"")) {
                throw new IOException(answer);
            }
        };
        time(MANY, WARM_UP, sockets, defaults, call);
        time(MANY, CREATES, toApiServer, apiServer, create);
        for (int clients : new int[] {1, MANY}) {
            String by = ", clients: " + clients + ", ";
            CallTimes before = CallTimes.of(plane.send(metrics()));
            Latency created = time(clients, CREATES, toApiServer, apiServer, create);
            CallTimes seen = CallTimes.of(plane.send(metrics())).since(before);
            Latency called = time(clients, CALLS, sockets, defaults, call);
            put(figures, "create" + by, created.p50(), created.p99());
            figures.put("call, by the API server" + by + "mean", seen.meanMillis());
            put(figures, "call, by the API server" + by, seen.millis(0.5), seen.millis(0.99));
            put(figures, "call alone" + by, called.p50(), called.p99());
        }
        if (killed) {
            // It would be there for late requests for some seconds.
            process.destroyForcibly().waitFor();
        }
        return figures;
    }

    private static void put(Map<String, Double> figures, String what, double p50, double p99) {
        figures.put(what + "p50", p50);
        figures.put(what + "p99", p99);
    }

    private Request.Builder metrics() {
        return new Request.Builder().url(plane.url("/metrics"));
    }

    /** Returns once a Foo is refused that has no name of a Deployment, and another gets its replicas. */
    private void awaitFirst(Process process, long launch) throws IOException, InterruptedException {
        try (WriteConnection connection = new WriteConnection(toApiServer, apiServer)) {
            while (!isRefused(connection) || !isAdmitted(connection)) {
                if (!process.isAlive() || System.nanoTime() - launch > LIMIT_NANOS) {
                    throw new IllegalStateException("no write is admitted");
                }
                TimeUnit.MILLISECONDS.sleep(5);
            }
        }
    }

    private boolean isRefused(WriteConnection connection) throws IOException {
        try {
            connection.send("POST", FOOS, foo("{}"));
            return false;
        } catch (IOException e) {
            return String.valueOf(e.getMessage()).contains("spec.deploymentName: Required value");
        }
    }

    private boolean isAdmitted(WriteConnection connection) {
        try {
            return connection.send("POST", FOOS, foo(SPEC)).contains("\"replicas\":1");
        } catch (IOException e) {
            return false;
        }
    }

    private String foo(String spec) {
        return """
                {"apiVersion":"samplecontroller.k8s.io/v1alpha1","kind":"Foo","metadata":{"name":"foo-%d"},"spec":%s}""".formatted(names.incrementAndGet(), spec);
    }

    /** As the API server sends it. */
    private static String review(String spec) {
        String type = "\"group\":\"samplecontroller.k8s.io\",\"version\":\"v1alpha1\"";
        return """
                {"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"0df28fbd-5f5f-11e8-bc74-36e6bb280816",\
                "kind":{%1$s,"kind":"Foo"},"resource":{%1$s,"resource":"foos"},"requestKind":{%1$s,"kind":"Foo"},\
                "requestResource":{%1$s,"resource":"foos"},"name":"foo","namespace":"default","operation":"CREATE",\
                "userInfo":{"username":"kubernetes-admin","groups":["system:masters","system:authenticated"]},\
                "object":{"apiVersion":"samplecontroller.k8s.io/v1alpha1","kind":"Foo","metadata":{"name":"foo","namespace":"default",\
                "uid":"7e1a2a3c-6c5b-4bb7-9d3e-0b0a3f1c5d21","generation":1,"creationTimestamp":"2026-11-28T12:00:00Z",\
                "managedFields":[{"manager":"kubectl","operation":"Update","apiVersion":"samplecontroller.k8s.io/v1alpha1",\
                "time":"2026-11-28T12:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{".":{},"f:deploymentName":{}}}}]},\
                "spec":%2$s},"oldObject":null,"dryRun":false,"options":{"kind":"CreateOptions","apiVersion":"meta.k8s.io/v1"}}}\
                """.formatted(type, spec);
    }

    /** How long each took. */
    private static Latency time(int clients, int count, SocketFactory sockets, URI server, Call call)
            throws IOException, InterruptedException {
        long[] nanos = new long[count];
        Paced.run(clients, count, Integer.MAX_VALUE, System.nanoTime(), () -> {
            WriteConnection connection = new WriteConnection(sockets, server);
            return new Paced.Steps() {
                @Override
                public void run(int number) throws IOException {
                    long begin = System.nanoTime();
                    call.send(connection, number);
                    nanos[number] = System.nanoTime() - begin;
                }

                @Override
                public void close() throws IOException {
                    connection.close();
                }
            };
        });
        return Latency.of(nanos);
    }

    /** A row for each figure, with what each contender's rounds have and how that compares with the first's of the same round. */
    @SuppressWarnings("SystemOut")
    private static void print(Map<String, List<Map<String, Double>>> results) {
        List<Map<String, Double>> peer = results.values().iterator().next();
        StringBuilder table = new StringBuilder("| ms |");
        results.forEach((name, runs) -> table.append(' ').append(name).append(runs == peer ? " |" : " | ratio |"));
        table.append("\n|---|").append("---|".repeat(results.size() * 2 - 1));
        for (String figure : peer.get(0).keySet()) {
            table.append("\n| ").append(figure).append(" |");
            for (List<Map<String, Double>> runs : results.values()) {
                table.append(' ')
                        .append(Spread.of(runs, run -> value(run, figure)).text("%.2f"))
                        .append(" |");
                if (runs != peer) {
                    List<Double> ratios = new ArrayList<>();
                    for (int round = 0; round < runs.size(); round++) {
                        ratios.add(value(runs.get(round), figure) / value(peer.get(round), figure));
                    }
                    table.append(' ')
                            .append(Spread.of(ratios, Double::doubleValue).text("%.2f"))
                            .append(" |");
                }
            }
        }
        System.out.println(table);
    }

    private static double value(Map<String, Double> run, String figure) {
        return Objects.requireNonNull(run.get(figure));
    }
}
