package io.controllermanager.testing.failover;

import io.controllermanager.testing.controlplane.TcpProxy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A replica: a process that is a user of its own and reaches the API server through a proxy of its own. */
final class Replica implements AutoCloseable {

    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private final String name;
    private final Program program;
    private final TcpProxy proxy;
    private final List<URI> apiServers;
    private int apiServer;
    private final Path port;
    private final Controls controls;
    private final ReconcileRecord record;

    private Replica(
            String name,
            Program program,
            TcpProxy proxy,
            List<URI> apiServers,
            int apiServer,
            Path port,
            Controls controls,
            Path record) {
        this.name = name;
        this.program = program;
        this.proxy = proxy;
        this.apiServers = apiServers;
        this.apiServer = apiServer;
        this.port = port;
        this.controls = controls;
        this.record = new ReconcileRecord(record);
    }

    /**
     * Starts one. Its name, which is the user and the begin of the identity in the Lease, follows from its number. So does the
     * API server to which it goes: replicas are spread over them.
     *
     * @param number one that none had before
     */
    static Replica start(Launch launch, int number) throws IOException {
        String name = "replica-" + number;
        List<URI> apiServers = launch.plane().apiServerUrls();
        int apiServer = number % apiServers.size();
        TcpProxy proxy = new TcpProxy(apiServers.get(apiServer));
        String direct = launch.plane().kubeconfigFor(name, Launch.GROUP);
        Path kubeconfig = Files.writeString(
                launch.directory().resolve(name + ".kubeconfig"),
                direct.replace(launch.plane().apiServerUrl().toString(), proxy.url()));
        Path controls = launch.directory().resolve(name + ".controls");
        Controls made = Controls.make(controls);
        Path record = launch.directory().resolve(name + ".reconciles");
        Path port = launch.directory().resolve(name + ".port");
        Program program = Program.start(
                launch.command(kubeconfig, controls, record, port),
                Map.of("HOSTNAME", name),
                launch.directory().resolve(name + ".log"));
        return new Replica(name, program, proxy, apiServers, apiServer, port, made, record);
    }

    String name() {
        return name;
    }

    Program program() {
        return program;
    }

    TcpProxy proxy() {
        return proxy;
    }

    /** Cuts its connections; the next ones go to the next API server. */
    void switchApiServer() {
        apiServer = (apiServer + 1) % apiServers.size();
        proxy.redirect(apiServers.get(apiServer));
    }

    /** Whether it is the holder of this identity. */
    boolean holds(String holder) {
        return holder.startsWith(name + "_");
    }

    /** Whether its caches are filled and it could work. */
    boolean isReady() throws InterruptedException {
        if (!program.isAlive()) {
            throw new IllegalStateException(name + " has ended");
        }
        HttpResponse<String> answer = get("/actuator/health/readiness");
        return answer != null && answer.statusCode() == 200;
    }

    /** Whether it holds any Lease as it says itself, null if it does not answer. */
    @Nullable
    Boolean saysItLeads() throws InterruptedException {
        HttpResponse<String> answer = get("/actuator/leaderelection");
        if (answer == null || answer.statusCode() != 200) {
            return null;
        }
        return answer.body().contains("\"leading\":true");
    }

    private @Nullable HttpResponse<String> get(String path) throws InterruptedException {
        if (!Files.exists(port)) {
            return null;
        }
        try {
            HttpRequest request = HttpRequest.newBuilder(
                            URI.create("http://localhost:" + Files.readString(port) + path))
                    .build();
            return HTTP.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            return null;
        }
    }

    /** What may be done to it. */
    Controls controls() {
        return controls;
    }

    /** All its reconciles so far. */
    Collection<Reconcile> reconciles(StampClock stamps) {
        try {
            Instant end = program.end();
            record.read(stamps, end);
            return record.reconciles();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        program.close();
        try {
            proxy.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
