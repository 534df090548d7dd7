package io.controllermanager.testing.failover;

import io.kubernetes.client.openapi.ApiException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Replicas that share shards, and that one rolling update after the other moves to another version of the executable, while
 * Foos are written all the time. It is judged from the audit log, and from the replicas' own records of their reconciles,
 * whether two of them ever were at work in one namespace, and so on one key, at a time: for each update, and for the whole run.
 */
public final class UpgradeRun implements AutoCloseable {

    private static final int REPLICAS = 3;

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
     * What came of the run, from its begin to its end.
     *
     * @param work how many writes and reconciles were judged
     * @param sideBySide each time that replicas of two versions were at work, in whatever namespaces
     * @param violations each time that two replicas were at work in one namespace
     */
    public record Whole(int work, List<String> sideBySide, List<String> violations) {}

    private final Launch launch;
    private final RollingUpdates updates;
    private final Map<String, String> versions = new HashMap<>();

    private UpgradeRun(Cluster cluster, Launch launch) {
        this.launch = launch;
        this.updates = new RollingUpdates(cluster, launch);
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
            run.updates.begin(run.launch.of(first), REPLICAS);
            run.newReplicasAre(first);
            return run;
        } catch (RuntimeException | AssertionError | IOException e) {
            run.close();
            throw e;
        }
    }

    private void newReplicasAre(Version version) {
        updates.names().forEach(replica -> versions.putIfAbsent(replica, version.name()));
    }

    /** Replaces one replica after the other, as a Deployment does. */
    public void move(Version to, boolean kill, Consumer<Move<String>> record) throws IOException, InterruptedException {
        RollingUpdates.Update update = updates.update(launch.of(to), kill);
        newReplicasAre(to);
        record.accept(Move.of(to.name(), kill, update, Turns.inEach(update.done()), List.of()));
    }

    /**
     * Ends the writes, and judges the whole run when all Foos are as they should be. Two that were at work at a time may stand
     * in the records of two moves, and what followed the last move is in none.
     */
    public Whole finish() throws IOException, InterruptedException {
        List<RollingUpdates.Done> done = updates.finish();
        List<Turns.Work> ofVersions = done.stream()
                .map(RollingUpdates.Done::work)
                .map(work ->
                        new Turns.Work(Objects.requireNonNull(versions.get(work.replica())), work.from(), work.until()))
                .toList();
        return new Whole(
                done.size(), Turns.of(ofVersions).together(), Turns.inEach(done).together());
    }

    @Override
    public void close() {
        updates.close();
    }
}
