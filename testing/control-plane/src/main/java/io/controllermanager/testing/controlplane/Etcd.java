package io.controllermanager.testing.controlplane;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * etcd, the store behind the API server, alone in its cluster, through any number of ends and starts. Not safe for more than
 * one thread.
 */
final class Etcd {

    private static final String DATA = "etcd";
    private static final int ATTEMPTS = 5;
    private static final Duration POLL = Duration.ofMillis(20);
    /** etcd's own limit for what it calls a normal environment; 200,000 objects need about one of them. */
    private static final long QUOTA_BYTES = 8L << 30;

    private static final Pattern REVISION = Pattern.compile("\"revision\":\"(\\d+)\"");

    private final PlaneDirectory directory;
    private final Path program;
    private final Flags flags;
    private final HttpEndpoint endpoint;
    private ChildProcess process;

    private Etcd(PlaneDirectory directory, Path program, Flags flags, URI url) {
        this.directory = directory;
        this.program = program;
        this.flags = flags;
        this.endpoint = new HttpEndpoint(url, null);
        this.process = ChildProcess.start(directory, program, flags);
    }

    /** Returns when etcd serves. */
    static Etcd start(PlaneDirectory directory, Path program, Deadline deadline) {
        for (int attempt = 1; ; attempt++) {
            URI url = URI.create("http://127.0.0.1:" + Ports.free());
            Flags all = new Flags()
                    .set("data-dir", directory.path(DATA))
                    .set("listen-client-urls", url)
                    .set("advertise-client-urls", url)
                    // No peer will ever call: any port does.
                    .set("listen-peer-urls", "http://127.0.0.1:0")
                    .set("initial-advertise-peer-urls", "http://127.0.0.1:0")
                    .set("initial-cluster", "default=http://127.0.0.1:0")
                    // In milliseconds: it elects itself, and there is no reason to wait a second for that.
                    .set("heartbeat-interval", 20)
                    .set("election-timeout", 200)
                    .set("quota-backend-bytes", QUOTA_BYTES)
                    // The data need not outlive the machine, and fsync is most of the time a write takes.
                    .set("unsafe-no-fsync", true)
                    .set("log-level", "warn");
            Etcd etcd = new Etcd(directory, program, all, url);
            if (etcd.serves(deadline)) {
                return etcd;
            }
            if (attempt == ATTEMPTS || !etcd.process.foundPortTaken()) {
                throw etcd.failedStart();
            }
        }
    }

    URI url() {
        return endpoint.base();
    }

    ChildProcess process() {
        return process;
    }

    /** Starts it on the same port with the same data unless it runs, and returns when it serves. */
    void start(Deadline deadline) {
        if (!process.isAlive()) {
            process = ChildProcess.start(directory, program, flags);
        }
        if (!serves(deadline)) {
            throw failedStart();
        }
    }

    private ControlPlaneException failedStart() {
        ControlPlaneException failure = process.failure("did not start");
        process.kill();
        return failure;
    }

    /** Copies its data to a directory of that name. Nothing is written meanwhile: it stands still. */
    void copyTo(String name) {
        process.pause();
        try {
            directory.copy(DATA, name);
        } finally {
            process.resume();
        }
    }

    /** Ends it as a crash would, and starts it with a copy of its data. */
    void restore(String name, Deadline deadline) {
        process.kill();
        directory.copy(name, DATA);
        start(deadline);
    }

    /**
     * Forgets all history up to this moment, and returns the revision up to which it did.
     *
     * @throws ControlPlaneException if etcd does not answer
     */
    long compact() {
        try {
            long revision = revision();
            String request = "{\"revision\":\"%d\",\"physical\":true}".formatted(revision);
            HttpEndpoint.Answer answer = endpoint.post("/v3/kv/compaction", request);
            if (!answer.isOk() && !answer.body().contains("has been compacted")) {
                throw new ControlPlaneException("etcd refused to compact: " + answer.body());
            }
            return revision;
        } catch (IOException e) {
            throw new ControlPlaneException("etcd could not be compacted.", e);
        }
    }

    private long revision() throws IOException {
        String status = endpoint.post("/v3/maintenance/status", "{}").body();
        Matcher revision = REVISION.matcher(status);
        if (!revision.find()) {
            throw new IOException("No revision in etcd's status: " + status);
        }
        return Long.parseLong(revision.group(1));
    }

    private boolean serves(Deadline deadline) {
        while (!deadline.hasPassed()) {
            try {
                if (endpoint.get("/health").isOk()) {
                    return process.isAlive();
                }
            } catch (IOException notYet) {
                // asked again below
            }
            if (process.exitsWithin(POLL)) {
                return false;
            }
        }
        return false;
    }
}
