package io.controllermanager.informer.faults;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.controllermanager.testing.support.AwaitilityLimit;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.slf4j.LoggerFactory;

/**
 * Mechanisms in random order and of random length on informers that live through all of them: on each server two rigs have
 * faults of their own at the same time, while a third goes through what concerns the whole server (its process and etcd
 * killed and halted, compactions), and with it the other two. Each episode becomes a line of JSON; a table follows. A run of
 * 20 minutes or more begins on each server with a connection that is half-open for five minutes.
 *
 * <p>Usage: {@code LongRun MINUTES SEED RECORD [PART OF A MECHANISM'S NAME]}
 */
final class LongRun {

    private static final Duration LONGEST_REST = Duration.ofMinutes(1);

    /** Long enough for what takes five minutes. */
    private static final Duration LONG = Duration.ofMinutes(20);

    private final long seed;
    private final Duration length;
    private final List<String> rates = new CopyOnWriteArrayList<>();
    private final long end;
    private final String wanted;
    private final PrintStream record;
    private final List<Episode.Outcome> outcomes = new CopyOnWriteArrayList<>();
    private final List<String> broken = new CopyOnWriteArrayList<>();

    private LongRun(Duration length, long seed, String wanted, PrintStream record) {
        this.length = length;
        this.end = System.nanoTime() + length.toNanos();
        this.seed = seed;
        this.wanted = wanted;
        this.record = record;
    }

    public static void main(String[] args) throws Exception {
        AwaitilityLimit.set();
        ((Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME)).setLevel(Level.ERROR);
        Duration length = Duration.ofMinutes(Long.parseLong(args[0]));
        long seed = Long.parseLong(args[1]);
        Path file = Path.of(args[2]);
        String wanted = args.length > 3 ? args[3] : "";
        try (PrintStream record = new PrintStream(Files.newOutputStream(file), true, StandardCharsets.UTF_8)) {
            LongRun run = new LongRun(length, seed, wanted, record);
            run.run();
            boolean passed = run.report();
            Runtime.getRuntime().halt(passed ? 0 : 1);
        } catch (UncheckedIOException e) {
            System.err.println(e.getMessage());
            Runtime.getRuntime().halt(2);
        }
    }

    private void run() throws Exception {
        List<Mechanism> embeddedOnes =
                wanted(Stream.concat(NetworkMechanisms.all().stream(), EmbeddedMechanisms.all().stream()));
        List<Mechanism> realOnes =
                wanted(Stream.concat(NetworkMechanisms.all().stream(), RealMechanisms.all().stream()));
        List<Mechanism> compactions = wanted(EmbeddedMechanisms.compactions().stream());
        List<Mechanism> outages = wanted(OutageMechanisms.all().stream());
        List<Mechanism> first =
                length.compareTo(LONG) < 0 ? List.of() : wanted(Stream.of(NetworkMechanisms.longHalfOpen()));
        List<Thread> lanes = new ArrayList<>();
        List<World> worlds = new ArrayList<>();
        try {
            if (!embeddedOnes.isEmpty() || !compactions.isEmpty()) {
                World world = World.embedded(seed);
                worlds.add(world);
                lanes.add(lane(world, 0, first, embeddedOnes, false));
                lanes.add(lane(world, 1, List.of(), embeddedOnes, false));
                lanes.add(lane(world, 2, List.of(), compactions, true));
            }
            if (!realOnes.isEmpty() || !outages.isEmpty()) {
                World world = World.real("real", seed);
                worlds.add(world);
                lanes.add(lane(world, 3, first, realOnes, false));
                lanes.add(lane(world, 4, List.of(), realOnes, false));
                lanes.add(lane(world, 5, List.of(), outages, true));
            }
            long begun = System.nanoTime();
            List<Long> before =
                    worlds.stream().map(world -> world.writers().written()).toList();
            for (Thread lane : lanes) {
                lane.join();
            }
            double seconds = (System.nanoTime() - begun) / 1e9;
            for (int i = 0; i < worlds.size(); i++) {
                World world = worlds.get(i);
                judgeWrites(world, (world.writers().written() - before.get(i)) / seconds);
            }
        } finally {
            for (World world : worlds) {
                world.close();
            }
        }
    }

    /** On a real server, outages and the machine decide how many there are. */
    private void judgeWrites(World world, double rate) {
        rates.add(String.format(java.util.Locale.ROOT, "%s %.0f", world.name(), rate));
        if (world.isEmbedded() && rate < Episode.LEAST_WRITES) {
            broken.add("on the embedded server, only " + Math.round(rate) + " writes a second were answered");
        }
    }

    private List<Mechanism> wanted(Stream<Mechanism> mechanisms) {
        return mechanisms.filter(mechanism -> mechanism.name().contains(wanted)).toList();
    }

    /** One episode after the other; with pauses for the others if it concerns them. */
    private Thread lane(World world, int number, List<Mechanism> first, List<Mechanism> mechanisms, boolean rests) {
        Thread thread = new Thread(() -> pass(world, number, first, mechanisms, rests), "lane-" + number);
        thread.start();
        return thread;
    }

    private void pass(World world, int number, List<Mechanism> first, List<Mechanism> mechanisms, boolean rests) {
        Random random = new Random(seed * 31 + number);
        if (mechanisms.isEmpty()) {
            return;
        }
        List<Mechanism> order = new ArrayList<>(first);
        Rig rig = new Rig(world, "lane-" + number, number % 2 == 0);
        try {
            while (System.nanoTime() < end) {
                if (order.isEmpty()) {
                    order.addAll(mechanisms);
                    Collections.shuffle(order, random);
                }
                Mechanism mechanism = order.remove(order.size() - 1);
                Episode.Outcome outcome = new Episode(rig, mechanism, random.nextLong(), false, false).run();
                outcomes.add(outcome);
                record.println(outcome.json());
                if (!outcome.passed()) {
                    System.out.println(outcome.json());
                    // What one has broken is not held against the next.
                    rig.close();
                    rig = new Rig(world, "lane-" + number, random.nextBoolean());
                }
                if (rests) {
                    rig.timer().sleep(Duration.ofMillis((long) (random.nextDouble() * LONGEST_REST.toMillis())));
                }
            }
        } catch (InterruptedException | RuntimeException e) {
            broken.add("lane " + number + " ended: " + e + " at " + List.of(e.getStackTrace()));
        } finally {
            rig.close();
        }
    }

    private boolean report() {
        Map<String, List<Episode.Outcome>> byMechanism = new TreeMap<>();
        for (Episode.Outcome outcome : outcomes) {
            byMechanism
                    .computeIfAbsent(outcome.server() + " | " + outcome.mechanism(), key -> new ArrayList<>())
                    .add(outcome);
        }
        System.out.println("| server | mechanism | times | found p50 / max | recovery p50 / max | lists | failed |");
        System.out.println("|---|---|---|---|---|---|---|");
        byMechanism.forEach((name, all) -> System.out.println("| " + name + " | " + all.size() + " | "
                + times(all.stream().map(Episode.Outcome::found)) + " | "
                + times(all.stream().map(Episode.Outcome::recovery)) + " | "
                + all.stream()
                        .mapToLong(one -> one.listsAfter() - one.listsBefore())
                        .sum() + " | "
                + all.stream().filter(one -> !one.passed()).count() + " |"));
        long failed = outcomes.stream().filter(outcome -> !outcome.passed()).count();
        long compared = outcomes.stream().mapToLong(Episode.Outcome::compared).sum();
        System.out.println();
        System.out.println(outcomes.size() + " episodes of " + byMechanism.size() + " mechanisms in "
                + length.toMinutes() + " minutes, seed " + seed + "; " + compared + " changes compared one by one; "
                + failed + " failed.");
        System.out.println("Writes answered a second: " + String.join(", ", rates) + ".");
        broken.forEach(System.out::println);
        boolean passed = failed == 0 && broken.isEmpty() && !outcomes.isEmpty();
        System.out.println(passed ? "PASSED" : "FAILED");
        return passed;
    }

    private static String times(Stream<Duration> durations) {
        List<Duration> sorted =
                durations.filter(java.util.Objects::nonNull).sorted().toList();
        return sorted.isEmpty()
                ? ""
                : seconds(sorted.get((sorted.size() - 1) / 2)) + " / " + seconds(sorted.get(sorted.size() - 1));
    }

    private static String seconds(Duration time) {
        return String.format(java.util.Locale.ROOT, "%.2f s", time.toMillis() / 1e3);
    }
}
