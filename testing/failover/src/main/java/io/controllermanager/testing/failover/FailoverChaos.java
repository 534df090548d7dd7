package io.controllermanager.testing.failover;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Lets many things happen to three replicas, and prints the record: a line for each, tabs between the columns.
 *
 * <p>Usage: {@code FailoverChaos JAR CONFIG_FOLDER ROUNDS SEED TIMINGS [fence]}. Ends with 1 if somebody worked who did not
 * lead, or a Foo was left; then the replicas' logs stay.
 */
public final class FailoverChaos {

    private FailoverChaos() {}

    /** Runs all rounds. */
    public static void main(String[] args) throws Exception {
        Path directory = Files.createTempDirectory("failover-chaos-");
        List<Round> rounds = new ArrayList<>();
        Timings timings = Timings.parse(args[4]);
        System.out.println("# seed " + args[3] + ", lease " + timings);
        System.out.println(Round.HEADER);
        try (ChaosRun run = ChaosRun.start(
                Path.of(args[0]),
                Path.of(args[1]),
                directory,
                timings,
                Long.parseLong(args[3]),
                args.length > 5 ? args[5] : "")) {
            run.run(Integer.parseInt(args[2]), round -> record(rounds, round));
            record(rounds, run.finish());
        }
        summarize(rounds);
        if (rounds.stream().anyMatch(round -> !round.violations().isEmpty())) {
            System.out.println("# logs: " + directory);
            System.exit(1);
        }
        System.exit(0);
    }

    private static void record(List<Round> rounds, Round round) {
        rounds.add(round);
        System.out.println(round.line());
    }

    private static void summarize(List<Round> rounds) {
        System.out.printf(
                "# %d rounds: %d writes and %d reconciles judged, %d under way at a suspension, %d after an edit of"
                        + " the holder, %d late, %d violations%n",
                rounds.size() - 1,
                rounds.stream().mapToInt(Round::writes).sum(),
                rounds.stream().mapToInt(Round::reconciles).sum(),
                rounds.stream().mapToInt(Round::onTheWire).sum(),
                rounds.stream().mapToInt(Round::afterEdit).sum(),
                rounds.stream().mapToInt(Round::late).sum(),
                rounds.stream().mapToInt(round -> round.violations().size()).sum());
        Map<String, List<Duration>> handOvers = new TreeMap<>();
        for (Round round : rounds) {
            Duration handOver = round.handOver();
            if (handOver != null) {
                handOvers
                        .computeIfAbsent(round.fault(), fault -> new ArrayList<>())
                        .add(handOver);
            }
        }
        handOvers.forEach((fault, times) -> {
            List<Duration> sorted = times.stream().sorted().toList();
            System.out.printf(
                    "# hand-over at %s: %d times, median %d ms, at most %d ms%n",
                    fault,
                    sorted.size(),
                    sorted.get((sorted.size() - 1) / 2).toMillis(),
                    sorted.get(sorted.size() - 1).toMillis());
        });
    }
}
