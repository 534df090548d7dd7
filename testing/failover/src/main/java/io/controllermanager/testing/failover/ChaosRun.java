package io.controllermanager.testing.failover;

import static org.awaitility.Awaitility.await;

import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Lease;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Three replicas, and a Go program that competes with them, to which one thing after the other happens while Foos are
 * written all the time. If the work is divided, each thing is aimed at one of the Leases. If it is spread over namespaces,
 * there is no Go program.
 */
public final class ChaosRun implements AutoCloseable {

    private static final int REPLICAS = 3;
    private static final int WRITES_PER_SECOND = 60;
    private static final int PERCENT_EDITS = 80;
    private static final Duration WALL_CLOCK_JUMP = Duration.ofHours(1);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LOOK_AT_FOOS = Duration.ofMillis(500);

    private final Cluster cluster;
    private final Launch launch;
    private final Random random;
    private final Verdicts verdicts;
    private final long seed;
    private FooWriter writer;
    private final Replicas replicas;
    private final List<Fault> deck = new ArrayList<>();
    private @Nullable Contender contender;
    private boolean killsContender;
    private String lease;
    private boolean finished;
    private int markers;
    private int contenders;
    private int writers;

    private ChaosRun(Cluster cluster, Launch launch, long seed) {
        this.cluster = cluster;
        this.launch = launch;
        this.random = new Random(seed);
        this.verdicts = new Verdicts(cluster.plane().auditLogs(), launch);
        this.replicas = new Replicas(launch);
        this.lease = work().leases().get(0);
        this.seed = seed;
        this.writer = newWriter();
    }

    private Work work() {
        return launch.work();
    }

    private void begin() throws IOException, InterruptedException {
        if (work().spread()) {
            writer.fill();
        }
        for (int i = 0; i < REPLICAS; i++) {
            replicas.start();
        }
        contender = work().spread() ? null : newContender();
        settle();
        if (work().spread()) {
            awaitShares();
            awaitReconciled();
        }
        // Not before: three that start have enough to do.
        writer.start();
    }

    /**
     * Starts everything and returns when a replica leads, and, if the work is spread, when the shares are even and all Foos are
     * reconciled.
     *
     * @param java the JVM with its options
     * @param jar the executable, laid out so that the jar names its libraries
     * @param config the project's folder {@code config}
     * @param directory for files, which stay
     * @param timings how replicas compete
     * @param work what for
     * @param seed for everything that is left to chance
     */
    public static ChaosRun start(
            List<String> java, Path jar, Path config, Path directory, Timings timings, Work work, long seed)
            throws IOException, ApiException, InterruptedException {
        Cluster cluster = Cluster.start(config, directory, work);
        ChaosRun run = new ChaosRun(cluster, new Launch(java, jar, cluster.plane(), directory, timings, work), seed);
        try {
            run.begin();
            return run;
        } catch (RuntimeException | AssertionError | IOException | InterruptedException e) {
            run.close();
            throw e;
        }
    }

    private FooWriter newWriter() {
        return new FooWriter(cluster.client(), work(), "foo-" + ++writers, WRITES_PER_SECOND, PERCENT_EDITS, seed);
    }

    private Contender newContender() throws IOException {
        Contender started = Contender.start(launch, "contender-" + ++contenders);
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
        replicas.takeFencesAway();
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

    /** Waits until a replica leads and reconciles. The Go program may lead in between, where time is short. */
    private Replica awaitReconcile() throws IOException, InterruptedException {
        String name = "marker-" + ++markers;
        Replica leader = settle();
        while (!writer.awaitReconcile(work().namespaceOf(lease), name, this::contenderLeads)) {
            leader = settle();
        }
        return leader;
    }

    private boolean contenderLeads() {
        return contender != null && contender.holds(cluster.holder(lease));
    }

    private Fault nextFault() {
        if (deck.isEmpty()) {
            deck.addAll(Fault.all(work()));
            Collections.shuffle(deck, random);
        }
        return deck.remove(0);
    }

    private Round round(int number, Fault fault) throws IOException, ApiException, InterruptedException {
        lease = nextLease();
        Replica leader = settle();
        boolean moves = work().spread() && !replicas.shareEvenly(holders());
        Instant begin = Instant.now();
        Pause.of(Duration.ofMillis(random.nextInt((int) LONGEST_PAUSE.toMillis())));
        String victim = befall(fault, leader);
        Replica after = awaitReconcile();
        Instant end = Instant.now();
        verdicts.read();
        if (!fault.mayChangeLeader() && !moves && !verdicts.contended(begin) && after != leader) {
            verdicts.changed(lease, leader.name(), begin, end);
        }
        return judged(
                new Verdicts.Happened(number, fault.name(), lease, victim, begin, end, leader.name(), after.name()));
    }

    private String nextLease() {
        List<String> leases = work().leases();
        return leases.size() == 1 ? leases.get(0) : leases.get(random.nextInt(leases.size()));
    }

    private Round judged(Verdicts.Happened happened) throws IOException {
        if (writer.failure() != null) {
            verdicts.complain("Foos are written no more: " + writer.failure());
        }
        return verdicts.judge(happened, replicas.all());
    }

    /** Returns the one that leads when all are ready, the Go program competes, and a replica leads. */
    private Replica settle() throws IOException, InterruptedException {
        if (work().spread()) {
            replicas.awaitReady();
            await("each Lease is held").until(() -> holders().stream().allMatch(holder -> replicas.of(holder) != null));
        }
        while (true) {
            replicas.awaitReady();
            if (contender != null && !contender().program().isAlive()) {
                // It has lost the Lease.
                contender().close();
                contender = newContender();
            }
            String holder = awaitHolder(known -> true);
            Replica leader = replicas.of(holder);
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
        awaitHolder(holder -> replicas.of(holder) != null);
        contender = newContender();
    }

    /** Waits until somebody who lives holds the Lease, and is the right one. */
    private String awaitHolder(Predicate<String> wanted) {
        String[] holder = {""};
        await("the right one holds the Lease").until(() -> {
            holder[0] = cluster.holder(lease);
            boolean lives = replicas.of(holder[0]) != null || (contender != null && contender.holds(holder[0]));
            return lives && wanted.test(holder[0]);
        });
        return holder[0];
    }

    /** Of each Lease, empty where there is none. */
    private List<String> holders() {
        Map<String, String> all = cluster.holders();
        return work().leases().stream().map(name -> all.getOrDefault(name, "")).toList();
    }

    private void awaitShares() {
        await("replicas share evenly").until(() -> replicas.shareEvenly(holders()));
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
                replicas.start();
                int code = leader.program().exitCode();
                if (code != 0) {
                    verdicts.complain(leader.name() + " ended with " + code);
                }
                leader.close();
            }
            case KILL -> {
                replicas.remove(leader);
                leader.program().kill();
                replicas.start();
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
                cluster.deleteLease(lease);
                passALease();
            }
            case LEASE_LABELLED -> {
                String value = Long.toString(random.nextLong());
                cluster.editLease(lease, edited -> label(edited, value));
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
            case API_SERVER_CHANGED -> {
                leader.switchApiServer();
                passALease();
            }
            case CONTENDER_STOPS -> contend(false);
            case CONTENDER_KILLED -> contend(true);
        }
        return switch (fault) {
            case STOP, KILL, SUSPEND, NETWORK_CUT, NETWORK_FROZEN, CLOCK_FORWARD, CLOCK_BACK, API_SERVER_CHANGED ->
                leader.name();
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
        cluster.editLease(
                lease, edited -> Objects.requireNonNull(edited.getSpec()).setHolderIdentity(holder));
    }

    private void jump(Replica leader, Duration by) throws IOException, InterruptedException {
        Instant from = Instant.now();
        leader.controls().moveWallClock(by);
        passALease();
        await("a renewal with a wrong time, or another leader").until(() -> {
            verdicts.read();
            return verdicts.hasRenewed(leader.name(), from, by) || !leader.holds(cluster.holder(lease));
        });
        leader.controls().moveWallClock(Duration.ZERO);
    }

    private void contend(boolean kill) throws IOException, InterruptedException {
        replicas.living().forEach(replica -> replica.proxy().cut());
        awaitHolder(contender()::holds);
        replicas.living().forEach(replica -> replica.proxy().restore());
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
        try {
            awaitReconciled();
            awaitShares();
        } catch (ConditionTimeoutException e) {
            verdicts.complain(Objects.requireNonNullElse(e.getMessage(), "the end"));
        }
        return judged(new Verdicts.Happened(0, "END", lease, "", begin, Instant.now(), leader, leader));
    }

    /** The message of the exception that ends the wait has those that are wrong. */
    private void awaitReconciled() {
        await("all Foos are reconciled").pollInterval(LOOK_AT_FOOS).untilAsserted(() -> {
            try {
                List<String> wrong = writer.wrong();
                if (!wrong.isEmpty()) {
                    throw new AssertionError("not reconciled: " + wrong);
                }
            } catch (ApiException e) {
                // No answer says nothing of Foos.
                throw new AssertionError(e);
            }
        });
    }

    /** Ends all, and leaves the audit log, compressed, with the other files. */
    @Override
    public void close() {
        try {
            writer.stop();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        replicas.close();
        if (contender != null) {
            contender.close();
        }
        try {
            cluster.keepAuditLogs(launch.directory().resolve("audit.log.gz"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            cluster.close();
        }
    }
}
