package io.controllermanager.testing.failover;

import io.controllermanager.testing.support.AwaitilityLimit;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Lets many things happen to three replicas, and prints a line for each, tabs between the columns; the same goes to a file
 * as JSON. The audit log, compressed, and all logs stay in a folder of their own.
 *
 * <p>Usage: {@code FailoverChaos JAR CONFIG_FOLDER ROUNDS SEED TIMINGS RECORD_FILE [fence|SHARDS/NAMESPACES/FOOS]}; the jar
 * is the executable laid out, {@code fence} takes the replicas' fences away, and three numbers divide the work. Ends with 1
 * if somebody worked who did not lead, or a Foo was left.
 */
public final class FailoverChaos {

    private FailoverChaos() {}

    /** Runs all rounds. */
    public static void main(String[] args) throws Exception {
        AwaitilityLimit.set();
        Path directory = Files.createTempDirectory("failover-chaos-");
        List<Round> rounds = new ArrayList<>();
        Timings timings = Timings.parse(args[4]);
        boolean fenceless = args.length > 6 && args[6].equals("fence");
        Work work = args.length > 6 && !fenceless ? Work.parse(args[6]) : Work.UNDIVIDED;
        // Not for the record: it says nothing to anybody elsewhere.
        System.err.println("# audit log and logs: " + directory);
        System.out.println("# seed " + args[3] + ", lease " + timings + ", " + work);
        System.out.println(Round.HEADER);
        try (BufferedWriter file = Files.newBufferedWriter(Path.of(args[5]));
                ChaosRun run = ChaosRun.start(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java")
                                        .toString(),
                                "-XX:TieredStopAtLevel=1"),
                        Path.of(args[0]),
                        Path.of(args[1]),
                        directory,
                        timings,
                        work,
                        Long.parseLong(args[3]))) {
            if (fenceless) {
                run.takeFencesAway();
            }
            run.run(Integer.parseInt(args[2]), round -> record(rounds, round, file));
            record(rounds, run.finish(), file);
        }
        summarize(rounds);
        if (rounds.stream().anyMatch(round -> !round.violations().isEmpty())) {
            System.exit(1);
        }
        System.exit(0);
    }

    private static void record(List<Round> rounds, Round round, BufferedWriter file) {
        rounds.add(round);
        System.out.println(round.line());
        try {
            file.write(round.json());
            file.newLine();
            file.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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
