package io.controllermanager.testing.failover;

import static org.awaitility.Awaitility.await;

import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Lease;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.Consumer;
import java.util.zip.GZIPOutputStream;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Three replicas, and a Go program that competes with them, to which one thing after the other happens while Foos are
 * written all the time.
 */
public final class ChaosRun implements AutoCloseable {

    private static final int REPLICAS = 3;
    private static final int WRITES_PER_SECOND = 60;
    private static final int PERCENT_EDITS = 80;
    private static final Duration WALL_CLOCK_JUMP = Duration.ofHours(1);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

    private final Cluster cluster;
    private final Launch launch;
    private final Random random;
    private final Verdicts verdicts;
    private final long seed;
    private FooWriter writer;
    private final List<Replica> replicas = new ArrayList<>();
    private final List<Replica> all = new ArrayList<>();
    private final List<Fault> deck = new ArrayList<>();
    private @Nullable Contender contender;
    private boolean killsContender;
    private boolean fenceless;
    private boolean finished;
    private int markers;
    private int contenders;
    private int writers;

    private ChaosRun(Cluster cluster, Launch launch, long seed) {
        this.cluster = cluster;
        this.launch = launch;
        this.random = new Random(seed);
        this.verdicts = new Verdicts(cluster.plane().auditLog(), launch);
        this.seed = seed;
        this.writer = newWriter();
    }

    private void begin() throws IOException, InterruptedException {
        for (int i = 0; i < REPLICAS; i++) {
            startReplica();
        }
        contender = newContender();
        settle();
        // Not before: three that start have enough to do.
        writer.start();
    }

    /**
     * Starts everything and returns when a replica leads.
     *
     * @param java the JVM with its options
     * @param jar the executable, laid out so that the jar names its libraries
     * @param config the project's folder {@code config}
     * @param directory for files, which stay
     * @param timings how replicas compete
     * @param seed for everything that is left to chance
     */
    public static ChaosRun start(List<String> java, Path jar, Path config, Path directory, Timings timings, long seed)
            throws IOException, ApiException, InterruptedException {
        Cluster cluster = Cluster.start(config, directory);
        ChaosRun run = new ChaosRun(cluster, new Launch(java, jar, cluster.plane(), directory, timings), seed);
        try {
            run.begin();
            return run;
        } catch (RuntimeException | AssertionError | IOException | InterruptedException e) {
            run.close();
            throw e;
        }
    }

    private Replica startReplica() throws IOException {
        Replica replica = Replica.start(launch, "replica-" + (all.size() + 1));
        if (fenceless) {
            replica.controls().takeFenceAway();
        }
        replicas.add(replica);
        all.add(replica);
        return replica;
    }

    private FooWriter newWriter() {
        writers++;
        return new FooWriter(cluster.client(), "foo-" + writers, WRITES_PER_SECOND, PERCENT_EDITS, seed);
    }

    private Contender newContender() throws IOException {
        contenders++;
        Contender started = Contender.start(launch, "contender-" + contenders);
        verdicts.contends(started.name());
        return started;
    }

    /**
     * Lets so many things happen, in the order that the seed gives, each kind once before any comes again.
     *
     * @param rounds how many
     * @param record told of each when it is over
     */
    public void run(int rounds, Consumer<Round> record) throws IOException, ApiException, InterruptedException {
        for (int number = 1; number <= rounds; number++) {
            record.accept(round(number, nextFault()));
        }
    }

    /**
     * Takes the replicas' fences away, for good, and makes their writes slow: a test of the judge, who should find
     * something at the next suspension.
     */
    public void takeFencesAway() {
        fenceless = true;
        replicas.forEach(replica -> replica.controls().takeFenceAway());
    }

    /** Suspends the leader, also when all is finished; then Foos are written again. */
    public Round suspend() throws IOException, ApiException, InterruptedException {
        if (finished) {
            finished = false;
            writer = newWriter();
            writer.start();
        }
        awaitReconcile();
        return round(0, Fault.SUSPEND);
    }

    private void awaitReconcile() {
        markers++;
        writer.awaitReconcile("marker-" + markers);
    }

    private Fault nextFault() {
        if (deck.isEmpty()) {
            deck.addAll(List.of(Fault.values()));
            Collections.shuffle(deck, random);
        }
        return deck.remove(0);
    }

    private Round round(int number, Fault fault) throws IOException, ApiException, InterruptedException {
        Replica leader = settle();
        Instant begin = Instant.now();
        Pause.of(Duration.ofMillis(random.nextInt((int) LONGEST_PAUSE.toMillis())));
        String victim = befall(fault, leader);
        Replica after = settle();
        awaitReconcile();
        Instant end = Instant.now();
        verdicts.read();
        if (!fault.mayChangeLeader() && !verdicts.contended(begin) && after != leader) {
            verdicts.changed(leader.name(), begin, end);
        }
        return judged(new Verdicts.Happened(number, fault.name(), victim, begin, end, leader.name(), after.name()));
    }

    private Round judged(Verdicts.Happened happened) throws IOException {
        if (writer.failure() != null) {
            verdicts.complain("Foos are written no more: " + writer.failure());
        }
        return verdicts.judge(happened, all);
    }

    /** Returns the one that leads when all are ready, the Go program competes, and a replica leads. */
    private Replica settle() throws IOException, InterruptedException {
        while (true) {
            for (Replica replica : replicas) {
                await(replica.name() + " is ready").until(replica::isReady);
            }
            if (!contender().program().isAlive()) {
                // It has lost the Lease.
                contender().close();
                contender = newContender();
            }
            String holder = awaitHolder(known -> true);
            Replica leader = replica(holder);
            if (leader != null) {
                return leader;
            }
            // It has been faster than the replicas once: let it lead a while.
            Pause.of(launch.timings().retryPeriod());
            killsContender = !killsContender;
            endContender(killsContender);
        }
    }

    private Contender contender() {
        return Objects.requireNonNull(contender);
    }

    private void endContender(boolean kill) throws IOException, InterruptedException {
        if (kill) {
            contender().program().kill();
        } else {
            contender().program().terminate();
            int code = contender().program().exitCode();
            if (code != 0 && code != Contender.LOST) {
                verdicts.complain("the Go program ended with " + code);
            }
        }
        contender().close();
        // One that begins now would try at once, and be faster than those who have waited.
        awaitHolder(holder -> replica(holder) != null);
        contender = newContender();
    }

    /** Whether an identity will do. */
    private interface Holder {
        boolean matches(String holder);
    }

    /** Waits until somebody who lives holds the Lease, and is the right one. */
    private String awaitHolder(Holder wanted) {
        String[] holder = {""};
        await("the right one holds the Lease").until(() -> {
            holder[0] = cluster.holder();
            return (replica(holder[0]) != null || contender().holds(holder[0])) && wanted.matches(holder[0]);
        });
        return holder[0];
    }

    private @Nullable Replica replica(String holder) {
        return replicas.stream()
                .filter(replica -> replica.holds(holder))
                .findFirst()
                .orElse(null);
    }

    private void awaitAnother(Replica than) {
        awaitHolder(holder -> !than.holds(holder));
    }

    private Duration leaseTimes(int factor) {
        return launch.timings().leaseDuration().multipliedBy(factor);
    }

    /** Returns whom it befell. */
    private String befall(Fault fault, Replica leader) throws IOException, ApiException, InterruptedException {
        switch (fault) {
            case STOP -> {
                replicas.remove(leader);
                leader.program().terminate();
                startReplica();
                int code = leader.program().exitCode();
                if (code != 0) {
                    verdicts.complain(leader.name() + " ended with " + code);
                }
                leader.close();
            }
            case KILL -> {
                replicas.remove(leader);
                leader.program().kill();
                startReplica();
                awaitAnother(leader);
                leader.close();
            }
            case SUSPEND -> suspend(leader);
            case API_DOWN_SHORT -> apiDown(leaseTimes(1).dividedBy(3), null);
            case API_DOWN -> apiDown(leaseTimes(4).dividedBy(3), leader);
            case API_DOWN_LONG -> apiDown(leaseTimes(4), leader);
            case NETWORK_CUT -> {
                leader.proxy().cut();
                awaitAnother(leader);
                leader.proxy().restore();
            }
            case NETWORK_FROZEN -> {
                leader.proxy().freeze();
                awaitAnother(leader);
                leader.proxy().restore();
            }
            case LEASE_DELETED -> {
                cluster.deleteLease();
                passALease();
            }
            case LEASE_LABELLED -> {
                String value = Long.toString(random.nextLong());
                cluster.editLease(lease -> label(lease, value));
                passALease();
            }
            case LEASE_GIVEN_AWAY -> {
                setHolder("somebody-else");
                passALease();
            }
            case LEASE_EMPTIED -> {
                setHolder("");
                passALease();
            }
            case CLOCK_FORWARD -> jump(leader, WALL_CLOCK_JUMP);
            case CLOCK_BACK -> jump(leader, WALL_CLOCK_JUMP.negated());
            case CONTENDER_STOPS -> contend(false);
            case CONTENDER_KILLED -> contend(true);
        }
        return switch (fault) {
            case STOP, KILL, SUSPEND, NETWORK_CUT, NETWORK_FROZEN, CLOCK_FORWARD, CLOCK_BACK -> leader.name();
            default -> "";
        };
    }

    /** So long that what happens because of it has happened. */
    private void passALease() throws InterruptedException {
        Pause.of(leaseTimes(1).plus(launch.timings().retryPeriod()));
    }

    private void suspend(Replica leader) throws IOException, InterruptedException {
        leader.program().suspend();
        Instant from = Instant.now();
        Pause.of(leaseTimes(2));
        awaitAnother(leader);
        Instant until = Instant.now();
        leader.program().resume();
        verdicts.suspended(new Judge.Suspension(leader.name(), from, until));
    }

    private void apiDown(Duration time, @Nullable Replica standsDown) throws InterruptedException {
        cluster.plane().killApiServer();
        Pause.of(time);
        if (standsDown != null) {
            await(standsDown.name() + " says that it does not lead")
                    .until(() -> Boolean.FALSE.equals(standsDown.saysItLeads()));
        }
        cluster.plane().startApiServer();
    }

    private static void label(V1Lease lease, String value) {
        lease.getMetadata().putLabelsItem("edited-by", "hand").putAnnotationsItem("example.com/note", value);
    }

    private void setHolder(String holder) {
        cluster.editLease(lease -> Objects.requireNonNull(lease.getSpec()).setHolderIdentity(holder));
    }

    private void jump(Replica leader, Duration by) throws IOException, InterruptedException {
        Instant from = Instant.now();
        leader.controls().moveWallClock(by);
        passALease();
        await("a renewal with a wrong time, or another leader").until(() -> {
            verdicts.read();
            return verdicts.hasRenewed(leader.name(), from, by) || !leader.holds(cluster.holder());
        });
        leader.controls().moveWallClock(Duration.ZERO);
    }

    private void contend(boolean kill) throws IOException, InterruptedException {
        replicas.forEach(replica -> replica.proxy().cut());
        awaitHolder(contender()::holds);
        replicas.forEach(replica -> replica.proxy().restore());
        passALease();
        if (contender().program().isAlive()) {
            endContender(kill);
        }
    }

    /** Writes no more Foos, and returns what is wrong when there was time to reconcile them all. */
    public Round finish() throws IOException, InterruptedException {
        Instant begin = Instant.now();
        writer.stop();
        finished = true;
        String leader = settle().name();
        List<String> wrong = new ArrayList<>();
        try {
            await("all Foos are reconciled").until(() -> {
                try {
                    List<String> found = writer.wrong();
                    wrong.clear();
                    wrong.addAll(found);
                    return found.isEmpty();
                } catch (ApiException e) {
                    // No answer says nothing of Foos.
                    return false;
                }
            });
        } catch (ConditionTimeoutException e) {
            verdicts.complain("not reconciled: " + wrong);
        }
        return judged(new Verdicts.Happened(0, "END", "", begin, Instant.now(), leader, leader));
    }

    /** Ends all, and leaves the audit log, compressed, with the other files. */
    @Override
    public void close() {
        try {
            writer.stop();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        replicas.forEach(Replica::close);
        if (contender != null) {
            contender.close();
        }
        try (OutputStream kept =
                new GZIPOutputStream(Files.newOutputStream(launch.directory().resolve("audit.log.gz")))) {
            Files.copy(cluster.plane().auditLog(), kept);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            cluster.close();
        }
    }
}
