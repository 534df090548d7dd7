package io.controllermanager.testing.failover;

import static org.awaitility.Awaitility.await;

import io.kubernetes.client.openapi.ApiException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Replicas that share shards, and that one rolling update after the other moves to another version of the executable, while
 * Foos are written all the time. It is judged from the audit log, and from the replicas' own records of their reconciles,
 * whether two of them ever were at work in one namespace at a time.
 */
public final class UpgradeRun implements AutoCloseable {

    private static final int REPLICAS = 3;
    private static final int WRITES_PER_SECOND = 60;
    private static final int PERCENT_EDITS = 80;
    private static final long SEED = 1;

    /**
     * A version of the executable.
     *
     * @param name what it is called here
     * @param java the JVM with its options
     * @param jar the executable, laid out so that the jar names its libraries
     * @param watched the classes of this module that go with it, null for those of this build
     * @param arguments what it is told besides
     */
    public record Version(
            String name,
            List<String> java,
            Path jar,
            @Nullable Path watched,
            List<String> arguments) {}

    /**
     * What came of one rolling update.
     *
     * @param to the version of the new replicas
     * @param killed whether old replicas were killed rather than stopped
     * @param took from the first new replica to the last old one's end
     * @param changes how often another replica than the last one began to work in a namespace
     * @param longestPause the longest time in which none was at work in a namespace
     * @param work how many writes and reconciles were judged
     * @param violations what should not have been
     */
    public record Move(
            String to,
            boolean killed,
            Duration took,
            int changes,
            Duration longestPause,
            int work,
            List<String> violations) {}

    /** What a replica has done, and in which namespace. */
    private record Done(String namespace, Turns.Work work) {}

    private final Cluster cluster;
    private final Launch launch;
    private final Replicas replicas;
    private final History history;
    private final FooWriter writer;
    private final Set<Done> judged = new HashSet<>();
    private int markers;

    private UpgradeRun(Cluster cluster, Launch launch) {
        this.cluster = cluster;
        this.launch = launch;
        this.replicas = new Replicas(launch);
        this.history = new History(cluster.plane().auditLogs());
        this.writer = new FooWriter(cluster.client(), launch.work(), "foo", WRITES_PER_SECOND, PERCENT_EDITS, SEED);
    }

    /**
     * Starts three replicas of a version, and returns when they work in each namespace.
     *
     * @param first the version
     * @param config the project's folder {@code config}
     * @param directory for files, which stay
     * @param timings how replicas compete
     * @param work what for; divided
     */
    public static UpgradeRun start(Version first, Path config, Path directory, Timings timings, Work work)
            throws IOException, ApiException {
        Cluster cluster = Cluster.start(config, directory, work);
        UpgradeRun run = new UpgradeRun(
                cluster, new Launch(first.java(), first.jar(), cluster.plane(), directory, timings, work));
        try {
            for (int i = 0; i < REPLICAS; i++) {
                run.replicas.start(run.launch.of(first));
            }
            run.replicas.awaitReady();
            run.writer.start();
            run.awaitReconciles();
            return run;
        } catch (RuntimeException | AssertionError | IOException e) {
            run.close();
            throw e;
        }
    }

    /** Replaces one replica after the other, as a Deployment does. */
    public void move(Version to, boolean kill, Consumer<Move> record) throws IOException, InterruptedException {
        Instant begin = Instant.now();
        List<String> violations = new ArrayList<>();
        for (Replica old : List.copyOf(replicas.living())) {
            replicas.start(launch.of(to));
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
        Map<String, Collection<Turns.Work>> byNamespace = new HashMap<>();
        done.forEach(each -> byNamespace
                .computeIfAbsent(each.namespace(), namespace -> new ArrayList<>())
                .add(each.work()));
        int changes = 0;
        Duration longestPause = Duration.ZERO;
        for (Map.Entry<String, Collection<Turns.Work>> one : byNamespace.entrySet()) {
            Turns turns = Turns.of(one.getValue());
            turns.together().forEach(together -> violations.add("in " + one.getKey() + " " + together));
            changes += turns.changes();
            longestPause = turns.longestPause().compareTo(longestPause) > 0 ? turns.longestPause() : longestPause;
        }
        if (writer.failure() != null) {
            violations.add("Foos are written no more: " + writer.failure());
        }
        record.accept(new Move(to.name(), kill, took, changes, longestPause, done.size(), List.copyOf(violations)));
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
        Set<String> names = new HashSet<>();
        for (Replica replica : replicas.all()) {
            names.add(replica.name());
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

    /** Ends the writes; returns when all Foos are as they should be. */
    public void finish() throws InterruptedException {
        writer.stop();
        await("all is right").ignoreExceptions().until(() -> writer.wrong().isEmpty());
    }

    @Override
    public void close() {
        replicas.close();
        cluster.close();
    }
}
