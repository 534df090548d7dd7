package io.controllermanager.informer.faults;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.controllermanager.informer.internal.delivery.Subscription;
import io.controllermanager.testing.support.AwaitilityLimit;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.slf4j.LoggerFactory;

/**
 * What months of disconnections leave behind, which must be nothing: watches that end in order after a second (of plain
 * HTTP) or as often as they can be cut, handlers that come and go, and writers all the while. In rounds of so many
 * reconnects each; after each round, with everything at rest, threads, sockets, pooled connections, handlers and the live
 * heap are counted.
 *
 * <p>Usage: {@code Soak MINUTES}, for so long and for twenty rounds at least; prints a line a round, and last how much each
 * has grown by a straight line through all rounds but the first quarter.
 */
final class Soak {

    private static final int RECONNECTS_A_ROUND = 50;

    /** The live heap goes up and down by some MiB: a line through a few rounds says little. */
    private static final int LEAST_ROUNDS = 20;

    private static final int HANDLERS_A_ROUND = 20;

    /** More than happens in any round's disconnection. */
    static final int HISTORY = 5_000;

    private Soak() {}

    /**
     * What is there after a round.
     *
     * @param reconnects watches begun so far
     * @param heap bytes that are live after a collection
     * @param connections in the HTTP client's pool
     */
    record Sample(long seconds, long reconnects, long heap, int threads, long sockets, int connections, int handlers) {

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "%5d s %7d reconnects %6.2f MiB live %4d threads %4d sockets %3d pooled connections %2d handlers",
                    seconds,
                    reconnects,
                    heap / 1048576.0,
                    threads,
                    sockets,
                    connections,
                    handlers);
        }
    }

    public static void main(String[] args) throws Exception {
        AwaitilityLimit.set();
        ((Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME)).setLevel(Level.ERROR);
        long end =
                System.nanoTime() + Duration.ofMinutes(Long.parseLong(args[0])).toNanos();
        boolean flat = true;
        try (World embedded = World.embedded(1, HISTORY);
                World real = World.real("real", 1);
                Rig onEmbedded = new Rig(embedded, "soak", false);
                Rig onReal = new Rig(real, "soak", true)) {
            List<Rig> rigs = List.of(onEmbedded, onReal);
            List<Sample> samples = new ArrayList<>();
            Random random = new Random(1);
            while (System.nanoTime() < end || samples.size() < LEAST_ROUNDS) {
                for (Rig rig : rigs) {
                    round(rig, random, RECONNECTS_A_ROUND);
                }
                Sample sample = sample(rigs);
                samples.add(sample);
                System.out.println(sample);
            }
            flat = report(samples.subList(samples.size() / 4, samples.size()));
        } catch (UncheckedIOException e) {
            System.err.println(e.getMessage());
            Runtime.getRuntime().halt(2);
        }
        System.out.println(flat ? "FLAT" : "NOT FLAT");
        Runtime.getRuntime().halt(flat ? 0 : 1);
    }

    /** So many disconnections of one informer, and handlers that are there for one or two of them. */
    static void round(Rig rig, Random random, int reconnects) {
        long goal = rig.status().watches() + reconnects;
        List<Subscription> passing = new ArrayList<>();
        boolean limits = rig.world().isEmbedded() && random.nextInt(4) == 0;
        int handlers = 0;
        while (rig.status().watches() < goal) {
            // A watch that is cut before it has said anything is a failure, which backs off.
            long version = rig.version();
            until("a watch is open and has said something", () -> rig.status().connected() && rig.version() > version);
            if (handlers < HANDLERS_A_ROUND) {
                passing.add(rig.informer()
                        .subscribe(
                                "passing-" + handlers,
                                new Recorder("passing", rig.timer(), Duration.ZERO),
                                Duration.ofSeconds(30)));
                handlers++;
            }
            switch (random.nextInt(3)) {
                case 0 -> rig.cutOff(true);
                case 1 -> {
                    long cuts = rig.proxy().cuts();
                    rig.proxy().cutAfter(3_000 + random.nextInt(5_000));
                    until("the connection dies", () -> rig.proxy().cuts() > cuts);
                    rig.proxy().restore();
                }
                default -> rig.cutOff(false);
            }
            if (limits) {
                long ends = rig.ends("regular");
                rig.proxy().shortLimits();
                rig.cutOff(false);
                until("a watch ends in order", () -> rig.ends("regular") > ends);
                rig.proxy().restore();
                limits = false;
            }
            if (passing.size() > 2) {
                passing.remove(0).close();
            }
        }
        passing.forEach(Subscription::close);
        // Which has the handlers forget what they were told.
        CompletableFuture<?> caughtUp = CompletableFuture.allOf(
                rig.quick().checkpointAfter(rig.version()), rig.slow().checkpointAfter(rig.version()));
        until("it has caught up", caughtUp::isDone);
    }

    private static void until(String what, java.util.concurrent.Callable<Boolean> condition) {
        Awaitility.await(what).pollInterval(Duration.ofMillis(1)).until(condition);
    }

    static Sample sample(List<Rig> rigs) {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return new Sample(
                ManagementFactory.getRuntimeMXBean().getUptime() / 1_000,
                rigs.stream().mapToLong(rig -> rig.status().watches()).sum(),
                runtime.totalMemory() - runtime.freeMemory(),
                Thread.activeCount(),
                sockets(),
                rigs.stream()
                        .mapToInt(rig -> rig.connection()
                                .apiClient()
                                .getHttpClient()
                                .connectionPool()
                                .connectionCount())
                        .sum(),
                rigs.stream().mapToInt(rig -> rig.status().handlers().size()).sum());
    }

    /** This process's, the embedded server's and the proxies' among them; -1 where the system does not tell. */
    private static long sockets() {
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            return files.filter(file -> {
                        try {
                            return Files.readSymbolicLink(file).toString().startsWith("socket:");
                        } catch (IOException e) {
                            // Closed meanwhile.
                            return false;
                        }
                    })
                    .count();
        } catch (IOException e) {
            return -1;
        }
    }

    private static boolean report(List<Sample> samples) {
        Sample first = samples.get(0);
        Sample last = samples.get(samples.size() - 1);
        System.out.printf(
                Locale.ROOT,
                "%nFrom %d to %d reconnects in %d rounds, by a straight line:%n",
                first.reconnects(),
                last.reconnects(),
                samples.size());
        // What a leak of one object, thread or socket in ten reconnects would add, and more than chance does.
        double reconnects = last.reconnects() - first.reconnects();
        boolean flat = line("live heap, MiB", samples, Sample::heap, 1 / 1048576.0, Math.max(4, reconnects / 1_000));
        flat &= line("threads", samples, Sample::threads, 1, Math.max(5, reconnects / 1_000));
        flat &= line("sockets", samples, Sample::sockets, 1, Math.max(5, reconnects / 1_000));
        flat &= line("pooled connections", samples, Sample::connections, 1, 5);
        flat &= line("handlers", samples, Sample::handlers, 1, 0.5);
        return flat;
    }

    /**
     * Whether a quantity has grown by no more than given, by the least squares' line: it grows if the line's slope less two
     * of its standard errors says more.
     */
    private static boolean line(
            String what, List<Sample> samples, ToLongFunction<Sample> quantity, double unit, double most) {
        double meanX = samples.stream().mapToLong(Sample::reconnects).average().orElse(0);
        double meanY = samples.stream().mapToLong(quantity).average().orElse(0);
        double covariance = 0;
        double variance = 0;
        for (Sample sample : samples) {
            double x = sample.reconnects() - meanX;
            covariance += x * (quantity.applyAsLong(sample) - meanY);
            variance += x * x;
        }
        double slope = covariance / variance;
        double squares = 0;
        for (Sample sample : samples) {
            double off = quantity.applyAsLong(sample) - meanY - slope * (sample.reconnects() - meanX);
            squares += off * off;
        }
        double error = Math.sqrt(squares / (samples.size() - 2) / variance);
        double span =
                samples.get(samples.size() - 1).reconnects() - samples.get(0).reconnects();
        double grown = slope * span * unit;
        double chance = 2 * error * span * unit;
        boolean flat = grown - chance <= most;
        System.out.printf(
                Locale.ROOT,
                "| %s | mean %.2f | %+.2f (± %.2f) over the run, %+.4f per 1,000 reconnects | at most %.1f | %s |%n",
                what,
                meanY * unit,
                grown,
                chance,
                slope * 1_000 * unit,
                most,
                flat ? "flat" : "grows");
        return flat;
    }
}
