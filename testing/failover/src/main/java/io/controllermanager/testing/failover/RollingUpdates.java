package io.controllermanager.testing.failover;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Replicas that are replaced one after the other while Foos are written all the time, and what they have done. For one thread. */
final class RollingUpdates implements AutoCloseable {

    private static final int WRITES_PER_SECOND = 60;
    private static final int PERCENT_EDITS = 80;
    private static final long SEED = 1;

    private final Cluster cluster;
    private final Launch launch;
    private final Replicas replicas;
    private final History history;
    private final FooWriter writer;
    private final Set<Done> judged = new HashSet<>();
    private int markers;

    /** What a replica has done, and in which namespace. */
    record Done(String namespace, Turns.Work work) {}

    /**
     * What came of one.
     *
     * @param took from the first new replica to the last old one's end
     * @param done what replicas have done that no update before has told of
     * @param violations old replicas that did not end as they should, and an end of the writes
     */
    record Update(Duration took, List<Done> done, List<String> violations) {}

    RollingUpdates(Cluster cluster, Launch launch) {
        this.cluster = cluster;
        this.launch = launch;
        this.replicas = new Replicas(launch);
        this.history = new History(cluster.plane().auditLogs());
        this.writer = new FooWriter(cluster.client(), launch.work(), "foo", WRITES_PER_SECOND, PERCENT_EDITS, SEED);
    }

    /** Starts the first replicas, and returns when they work in each namespace. */
    void begin(Launch first, int number) throws IOException {
        for (int i = 0; i < number; i++) {
            replicas.start(first);
        }
        replicas.awaitReady();
        writer.start();
        awaitReconciles();
    }

    /** Replaces one replica after the other, the first one by the first, as a Deployment does. */
    Update update(Launch next, boolean kill) throws IOException, InterruptedException {
        Instant begin = Instant.now();
        List<String> violations = new ArrayList<>();
        for (Replica old : List.copyOf(replicas.living())) {
            replicas.start(next);
            replicas.awaitReady();
            replicas.remove(old);
            if (kill) {
                old.program().kill();
            } else {
                old.program().terminate();
                int code = old.program().exitCode();
                if (code != 0) {
                    violations.add(old.name() + " ended with " + code);
                }
            }
            old.close();
            awaitReconciles();
        }
        Duration took = Duration.between(begin, Instant.now());
        List<Done> done = done();
        done.removeIf(judged::contains);
        judged.addAll(done);
        if (writer.failure() != null) {
            violations.add("Foos are written no more: " + writer.failure());
        }
        return new Update(took, done, violations);
    }

    /** The names of all replicas that there have been, the first one first. */
    List<String> names() {
        return replicas.all().stream().map(Replica::name).toList();
    }

    /** In each namespace, so that each shard is worked on. */
    private void awaitReconciles() {
        String name = "marker-" + ++markers;
        for (String namespace : launch.work().namespaceNames()) {
            writer.awaitReconcile(namespace, name, () -> false);
        }
    }

    /** All that replicas have done, of what has ended. */
    private List<Done> done() throws IOException {
        StampClock clock = StampClock.read();
        List<Done> done = new ArrayList<>();
        Set<String> names = Set.copyOf(names());
        for (Replica replica : replicas.all()) {
            replica.reconciles(clock)
                    .forEach(one -> done.add(
                            new Done(one.namespace(), new Turns.Work(replica.name(), one.begin(), one.end()))));
        }
        history.read();
        history.events().stream()
                .filter(event -> event.isWrite() && names.contains(event.user()))
                .forEach(event -> done.add(new Done(
                        event.namespace(), new Turns.Work(event.user(), event.received(), event.completed()))));
        return done;
    }

    /** Ends the writes; returns all that replicas have ever done, when all Foos are as they should be. */
    List<Done> finish() throws IOException, InterruptedException {
        writer.stop();
        await("all is right").ignoreExceptions().until(() -> writer.wrong().isEmpty());
        return done();
    }

    @Override
    public void close() {
        replicas.close();
        cluster.close();
    }
}
