package io.controllermanager.testing.failover;

import io.controllermanager.testing.failover.Team.HandOverTime;
import io.controllermanager.testing.support.AwaitilityLimit;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/**
 * Measures how long nobody reconciles when a leader ends, ours beside a peer. Foos are edited at a steady rate and each
 * edit makes one write, of the Deployment; the API server's audit log says when it received each and from whom. Both kinds
 * are measured in turn, in blocks of rounds, on the same control plane.
 *
 * <p>Usage: {@code HandOver JAR CONFIG_FOLDER PEER_PROGRAM ROUNDS CRASHES JVM [JVM FLAGS...]}. With {@code -} for the peer
 * ours is measured alone. An {@code AOTCache} among the flags is recorded first, by a process that leads for some seconds.
 */
public final class HandOver {

    private static final String ALONE = "-";
    private static final int EDITS_PER_SECOND = 100;
    private static final int BLOCK = 20;
    private static final String AOT_CACHE = "-XX:AOTCache=";
    private static final String AOT_CACHE_OUTPUT = "-XX:AOTCacheOutput=";
    private static final int CRASH_BLOCK = 5;
    private static final long SEED = 1;

    private final Cluster cluster;
    private final Path directory;
    private final History history;
    private final Map<String, List<String>> commands;
    private final Map<String, List<HandOverTime>> times = new LinkedHashMap<>();
    private int teams;

    private HandOver(Cluster cluster, Path directory, Map<String, List<String>> commands) {
        this.cluster = cluster;
        this.directory = directory;
        this.history = new History(cluster.plane().auditLogs());
        this.commands = commands;
    }

    /** Runs all rounds; prints a line for each, and then a table. */
    public static void main(String[] args) throws Exception {
        AwaitilityLimit.set();
        Path directory = Files.createTempDirectory("hand-over-");
        int rounds = Integer.parseInt(args[3]);
        int crashes = Integer.parseInt(args[4]);
        List<String> ours = new ArrayList<>(List.of(args).subList(5, args.length));
        ours.addAll(List.of(
                "-jar",
                args[0],
                "--controllers=foo",
                "--concurrent-foo-syncs=16",
                "--leader-elect-resource-namespace=default",
                "--server.port=0"));
        Map<String, List<String>> commands = new LinkedHashMap<>();
        commands.put("ours", List.copyOf(ours));
        if (!args[2].equals(ALONE)) {
            commands.put("controller-runtime", List.of(args[2], "-workers=16", "-leader-elect"));
        }
        try (Cluster cluster = Cluster.start(Path.of(args[1]), directory, Work.UNDIVIDED)) {
            FooWriter writer = new FooWriter(cluster.client(), Work.UNDIVIDED, "foo", EDITS_PER_SECOND, 100, SEED);
            writer.start();
            HandOver run = new HandOver(cluster, directory, commands);
            if (ours.stream().anyMatch(flag -> flag.startsWith(AOT_CACHE))) {
                List<String> training = ours.stream()
                        .map(flag -> flag.startsWith(AOT_CACHE)
                                ? AOT_CACHE_OUTPUT + flag.substring(AOT_CACHE.length())
                                : flag)
                        .toList();
                Team.train(training, cluster.plane(), directory, run.history);
            }
            System.out.println("contender\tend\tround\tgap_ms\tsince_signal_ms");
            run.measure(rounds, BLOCK, false);
            run.measure(crashes, CRASH_BLOCK, true);
            writer.stop();
            if (writer.failure() != null) {
                throw new IllegalStateException("Nothing was edited any more", writer.failure());
            }
            run.table();
        }
        System.exit(0);
    }

    private void measure(int rounds, int block, boolean kill) throws Exception {
        for (int from = 0; from < rounds; from += block) {
            for (Map.Entry<String, List<String>> kind : commands.entrySet()) {
                teams++;
                history.read();
                history.forget();
                try (Team team = new Team(kind.getKey(), teams, kind.getValue(), cluster.plane(), directory, history)) {
                    for (int round = from + 1; round <= Math.min(rounds, from + block); round++) {
                        record(kind.getKey(), kill ? "kill -9" : "stop", round, team.round(kill));
                    }
                }
            }
        }
    }

    private void record(String kind, String end, int round, HandOverTime time) {
        times.computeIfAbsent(kind + "\t" + end, key -> new ArrayList<>()).add(time);
        System.out.printf(
                Locale.ROOT, "%s\t%s\t%d\t%.1f\t%.1f%n", kind, end, round, millis(time.gap()), millis(time.sinceEnd()));
    }

    private void table() {
        System.out.println("\n# milliseconds; gap: from the answer to the old leader's last write to the"
                + " receipt of the new one's first, by the API server's clock; signal: from the signal to the latter");
        System.out.printf(
                "# %-20s %-8s %6s | %9s %9s %9s | %9s %9s %9s%n",
                "contender", "end", "rounds", "gap p50", "p99", "max", "signal p50", "p99", "max");
        times.forEach((name, all) -> {
            String[] parts = name.split("\t", -1);
            System.out.printf(
                    Locale.ROOT,
                    "# %-20s %-8s %6d | %9.1f %9.1f %9.1f | %9.1f %9.1f %9.1f%n",
                    parts[0],
                    parts[1],
                    all.size(),
                    percentile(all, HandOverTime::gap, 50),
                    percentile(all, HandOverTime::gap, 99),
                    percentile(all, HandOverTime::gap, 100),
                    percentile(all, HandOverTime::sinceEnd, 50),
                    percentile(all, HandOverTime::sinceEnd, 99),
                    percentile(all, HandOverTime::sinceEnd, 100));
        });
    }

    private static double percentile(List<HandOverTime> all, Function<HandOverTime, Duration> figure, int percent) {
        List<Duration> sorted = all.stream().map(figure).sorted().toList();
        int rank = (int) Math.ceil(percent / 100.0 * sorted.size());
        return millis(sorted.get(Math.max(0, rank - 1)));
    }

    private static double millis(Duration duration) {
        return duration.toNanos() / 1e6;
    }
}
