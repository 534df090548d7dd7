package io.controllermanager.testing.controlplane;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import javax.net.ssl.SSLSocketFactory;

/** kube-apiserver on one port, through any number of ends and starts. Not safe for more than one thread. */
final class ApiServer {

    private static final int ATTEMPTS = 5;
    private static final Duration POLL = Duration.ofMillis(50);
    private static final Duration STOP_GRACE = Duration.ofSeconds(30);

    private final String name;
    private final PlaneDirectory directory;
    private final Path program;
    private final Flags flags;
    private final HttpEndpoint endpoint;
    private ChildProcess process;

    private ApiServer(String name, PlaneDirectory directory, Path program, Flags flags, HttpEndpoint endpoint) {
        this.name = name;
        this.directory = directory;
        this.program = program;
        this.flags = flags;
        this.endpoint = endpoint;
        this.process = launch();
    }

    private ChildProcess launch() {
        return ChildProcess.start(name, directory, program, flags);
    }

    /** Starts one on a port that is free, and returns when it is ready. */
    static ApiServer start(
            String name,
            PlaneDirectory directory,
            Path program,
            Flags flags,
            SSLSocketFactory sockets,
            Deadline deadline) {
        for (int attempt = 1; ; attempt++) {
            int port = Ports.free();
            flags.set("secure-port", port);
            HttpEndpoint endpoint = new HttpEndpoint(URI.create("https://127.0.0.1:" + port), sockets);
            ApiServer server = new ApiServer(name, directory, program, flags, endpoint);
            if (server.becomesReady(deadline)) {
                return server;
            }
            if (attempt == ATTEMPTS || !server.process.foundPortTaken()) {
                throw server.failedStart();
            }
        }
    }

    HttpEndpoint endpoint() {
        return endpoint;
    }

    ChildProcess process() {
        return process;
    }

    void kill() {
        process.kill();
    }

    void stop() {
        process.stop(STOP_GRACE);
    }

    void pause() {
        process.pause();
    }

    void resume() {
        process.resume();
    }

    /** Starts it on the same port with the same data unless it runs, and returns when it is ready. */
    void start(Deadline deadline) {
        if (!process.isAlive()) {
            process = launch();
        }
        while (!becomesReady(deadline)) {
            // The port was chosen so that this hardly happens; whoever took it may be gone in a moment.
            if (deadline.hasPassed() || !process.foundPortTaken()) {
                throw failedStart();
            }
            process = launch();
        }
    }

    private ControlPlaneException failedStart() {
        ControlPlaneException failure = process.failure("did not become ready");
        process.kill();
        return failure;
    }

    private boolean becomesReady(Deadline deadline) {
        while (!deadline.hasPassed()) {
            if (isReady(endpoint)) {
                return process.isAlive();
            }
            if (process.exitsWithin(POLL)) {
                return false;
            }
        }
        return false;
    }

    /** Whether {@code /readyz} says so at this moment. */
    static boolean isReady(HttpEndpoint endpoint) {
        try {
            return endpoint.get("/readyz").isOk();
        } catch (IOException notYet) {
            return false;
        }
    }
}
