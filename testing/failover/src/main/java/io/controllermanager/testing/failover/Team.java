package io.controllermanager.testing.failover;

import static org.awaitility.Awaitility.await;

import io.controllermanager.testing.controlplane.ControlPlane;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/** A leader and a standby of one kind: in each round the leader ends, the standby takes over, and a new standby comes. */
final class Team implements AutoCloseable {

    /** Over which time a standby that has calmed down is looked at, and what it uses at most of a processor in that time. */
    private static final Duration CALM = Duration.ofMillis(500);

    private static final double CALM_LOAD = 0.15;

    private static final Duration TRAINING = Duration.ofSeconds(5);

    private static final int LONGEST_PAUSE_MILLIS = 500;

    private final String kind;
    private final List<String> command;
    private final ControlPlane plane;
    private final Path directory;
    private final History history;
    private final int number;
    private Member leader;
    private Member standby;
    private int members;

    /** A process and the user that it is. */
    private record Member(String user, Program program) {}

    /**
     * One hand-over.
     *
     * @param gap from the answer to the last write of the old leader, which ends its last reconcile, until the first of the
     *     new one is received, in whose first reconcile it is sent
     * @param sinceEnd from the signal to the old leader to the first write of the new one
     */
    record HandOverTime(Duration gap, Duration sinceEnd) {}

    /**
     * Starts two, and returns when one works and the other's caches are filled.
     *
     * @param kind what they are called
     * @param number different for each team of a kind
     * @param command finds the API server by {@code KUBECONFIG}
     * @param history the audit log of the plane
     */
    Team(String kind, int number, List<String> command, ControlPlane plane, Path directory, History history)
            throws IOException, InterruptedException {
        this.kind = kind;
        this.number = number;
        this.command = command;
        this.plane = plane;
        this.directory = directory;
        this.history = history;
        this.leader = start();
        awaitWrite(leader);
        this.standby = start();
        awaitWatches(standby);
    }

    private Member start() throws IOException {
        members++;
        return start(kind + "-" + number + "-" + members, command, plane, directory);
    }

    private static Member start(String user, List<String> command, ControlPlane plane, Path directory)
            throws IOException {
        Path kubeconfig =
                Files.writeString(directory.resolve(user + ".kubeconfig"), plane.kubeconfigFor(user, "system:masters"));
        return new Member(
                user,
                Program.start(
                        command,
                        Map.of("KUBECONFIG", kubeconfig.toString(), "HOSTNAME", user),
                        directory.resolve(user + ".log")));
    }

    /** Has one process lead for a while, alone, and end: for what a JVM is to record of it. */
    static void train(List<String> command, ControlPlane plane, Path directory, History history)
            throws IOException, InterruptedException {
        Member one = start("training", command, plane, directory);
        awaitWrite(one, history);
        Pause.of(TRAINING);
        one.program().terminate();
        int code = one.program().exitCode();
        if (code != 0) {
            throw new IllegalStateException("The training run ended with " + code);
        }
    }

    private void awaitWatches(Member member) {
        await(member.user() + " watches Foos and Deployments, and has asked for the Lease")
                .until(() -> {
                    history.read();
                    List<String> watched = new ArrayList<>();
                    for (AuditEvent event : history.events()) {
                        if (event.user().equals(member.user())
                                && (event.verb().equals("watch")
                                        || event.resource().equals("leases"))) {
                            watched.add(event.resource());
                        }
                    }
                    return watched.containsAll(Set.of("foos", "deployments", "leases"));
                });
        awaitCalm(member);
    }

    /** Whoever has just started compiles; a replica that is needed has been up for hours as a rule. */
    private static void awaitCalm(Member member) {
        await(member.user() + " calms down").until(() -> {
            Duration before = member.program().cpu();
            Pause.of(CALM);
            return member.program().cpu().minus(before).toNanos() <= CALM_LOAD * CALM.toNanos();
        });
    }

    private AuditEvent awaitWrite(Member member) {
        return awaitWrite(member, history);
    }

    private static AuditEvent awaitWrite(Member member, History history) {
        AuditEvent[] first = new AuditEvent[1];
        await(member.user() + " writes").until(() -> {
            history.read();
            for (AuditEvent event : history.events()) {
                if (event.isWrite()
                        && event.user().equals(member.user())
                        && (first[0] == null || event.received().isBefore(first[0].received()))) {
                    first[0] = event;
                }
            }
            return first[0] != null;
        });
        return first[0];
    }

    /**
     * Ends the leader at any moment and measures.
     *
     * @param kill by SIGKILL instead of SIGTERM
     */
    HandOverTime round(boolean kill) throws IOException, InterruptedException {
        Pause.of(Duration.ofMillis(ThreadLocalRandom.current().nextInt(LONGEST_PAUSE_MILLIS)));
        Instant end = Instant.now();
        if (kill) {
            leader.program().kill();
        } else {
            leader.program().terminate();
        }
        // Before the log is looked into, lest that takes the processors from those who are measured.
        int code = leader.program().exitCode();
        AuditEvent first = awaitWrite(standby);
        if (!kill && code != 0) {
            throw new IllegalStateException(leader.user() + " ended with " + code);
        }
        history.read();
        AuditEvent last = history.events().stream()
                .filter(event -> event.isWrite() && event.user().equals(leader.user()))
                .reduce((a, b) -> a.completed().isAfter(b.completed()) ? a : b)
                .orElseThrow();
        history.forget();
        leader.program().close();
        leader = standby;
        standby = start();
        awaitWatches(standby);
        return new HandOverTime(
                Duration.between(last.completed(), first.received()), Duration.between(end, first.received()));
    }

    /** Ends both, so that the Lease is free. */
    @Override
    public void close() {
        standby.program().close();
        leader.program().terminate();
        try {
            leader.program().exitCode();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            leader.program().close();
        }
    }
}
