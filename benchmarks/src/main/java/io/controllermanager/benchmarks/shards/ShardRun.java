package io.controllermanager.benchmarks.shards;

import io.controllermanager.benchmarks.plane.Contender;
import io.controllermanager.benchmarks.plane.Paced;
import io.controllermanager.benchmarks.shards.Leases.Move;
import io.controllermanager.benchmarks.shards.ShardReplica.Cached;
import io.controllermanager.benchmarks.throughput.FooPlane;
import io.controllermanager.benchmarks.throughput.Latency;
import io.controllermanager.informer.Shards;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** One contender before one kind of API server, with one replica first, and then more. */
final class ShardRun implements AutoCloseable {

    static final String HEADER = String.format(
            "%-20s %6s %8s | %7s %7s %7s | %8s %8s %8s | %7s %9s | %7s %7s",
            "contender",
            "filter",
            "replicas",
            "objects",
            "MiB",
            "heap",
            "fill_KiB",
            "KiB/s",
            "at_rest",
            "rec/s",
            "writing/s",
            "even_s",
            "ready_s");

    static final String HAND_OVER_HEADER = String.format(
            "%-20s %6s %-6s %5s | %27s | %27s | %27s",
            "contender",
            "filter",
            "by",
            "moves",
            "nobody holds p50/p99/max ms",
            "nobody works p50/p99/max ms",
            "from signal p50/p99/max ms");

    private static final String LEASE = "controller-manager";
    private static final Pattern SHARDS = Pattern.compile("\\." + WaitingFoos.NAME + "\\.shards=(\\d+)");
    private static final Pattern SHARD_BY = Pattern.compile("\\." + WaitingFoos.NAME + "\\.shard-by=([a-z-]+)");
    private static final String GATE = "ShardedListAndWatch";

    /** About what a real object has besides, in characters: managed fields first of all. */
    private static final int PAYLOAD = 1500;

    /** How often a Foo is reconciled while shards move: often enough that a gap in a shard's work shows. */
    private static final Duration STEADY = Duration.ofSeconds(20);

    private static final Duration AT_ONCE = Duration.ZERO;
    private static final long LIMIT_NANOS = TimeUnit.MINUTES.toNanos(5);
    private static final int WARM_UP_SECONDS = 5;
    private static final int EDITS_PER_SECOND = 100;
    private static final int EDITORS = 16;

    /** As many as the CRD allows. */
    private static final int MOST_REPLICAS = 10;

    private static final String FOO = "foo";

    private final Contender contender;
    private final boolean filter;
    private final int seconds;
    private final List<String> namespaces;
    private final int foosEach;
    private final Shards shards;
    private final List<String> leaseNames;
    private final Path directory = Files.createTempDirectory("shards-");
    private final Pace pace = Pace.in(directory.resolve("pace"));
    private final FooPlane plane;
    private final Leases leases;
    private final List<ShardReplica> replicas = new ArrayList<>();
    private final Map<String, List<Gap>> gaps = new LinkedHashMap<>();
    private int launched;

    /**
     * A shard's hand-over, in nanoseconds.
     *
     * @param lease how long the Lease had no holder; after a kill, since that
     * @param work from the end of the giver's last reconcile to the begin of the receiver's first, negative if there is none
     * @param signal from the signal to the giver until the Lease had its next holder, 0 without signal
     */
    private record Gap(long lease, long work, long signal) {}

    ShardRun(Contender contender, Path crd, boolean filter, int foos, int namespaces, int seconds)
            throws IOException, InterruptedException {
        this.contender = contender;
        this.filter = filter;
        this.seconds = seconds;
        Matcher by = SHARD_BY.matcher(String.join(" ", contender.command()));
        this.shards = new Shards(
                shards(contender),
                by.find()
                        ? Shards.By.valueOf(by.group(1).replace('-', '_').toUpperCase(Locale.ROOT))
                        : Shards.ONE.by());
        this.leaseNames = shards.divide()
                ? IntStream.range(0, shards.count())
                        .mapToObj(shard -> LEASE + "-" + WaitingFoos.NAME + "-" + shard + "-of-" + shards.count())
                        .toList()
                : List.of(LEASE);
        // Numbers first, since the API server's ranges put names that differ only at their ends into few shards.
        this.namespaces =
                IntStream.range(0, namespaces).mapToObj("%03d-team"::formatted).toList();
        this.foosEach = foos / namespaces;
        this.plane = new FooPlane(crd, Map.of("feature-gates", GATE + "=" + filter), PAYLOAD);
        for (String namespace : this.namespaces) {
            plane.makeNamespace(namespace);
            plane.makeFoos(namespace, FOO, foosEach);
        }
        this.leases = new Leases(plane.plane());
        pace.set(STEADY, false);
    }

    /** Into how many shards a contender's command divides the controller. */
    static int shards(Contender contender) {
        Matcher matcher = SHARDS.matcher(String.join(" ", contender.command()));
        return matcher.find() ? Integer.parseInt(matcher.group(1)) : 1;
    }

    /** Has one replica work for a moment, for what its JVM is to record. */
    void train() throws IOException, InterruptedException {
        start();
        TimeUnit.SECONDS.sleep(WARM_UP_SECONDS);
    }

    /** Starts one more replica, waits until the shares are even, and measures; returns a line of results. */
    String join() throws IOException, InterruptedException {
        Joined joined = start();
        TimeUnit.SECONDS.sleep(WARM_UP_SECONDS);
        List<Cached> cached = new ArrayList<>();
        for (ShardReplica replica : replicas) {
            cached.add(replica.cached());
        }
        double bytes = bytesPerSecond(EDITS_PER_SECOND);
        double rest = bytesPerSecond(0);
        double rate = rate(false);
        double writing = rate(true);
        pace.set(STEADY, false);
        return String.format(
                Locale.ROOT,
                "%-20s %6s %8d | %7d %7.2f %7.1f | %8d %8.1f %8.1f | %7.0f %9.0f | %7.1f %7.1f",
                contender.name(),
                filter ? "on" : "off",
                replicas.size(),
                cached.stream().mapToLong(Cached::objects).max().orElseThrow(),
                cached.stream().mapToDouble(Cached::mebibytes).max().orElseThrow(),
                cached.stream().mapToDouble(Cached::heapMebibytes).max().orElseThrow(),
                joined.bytes() / 1024,
                bytes / 1024,
                rest / 1024,
                rate,
                writing,
                joined.evenSeconds(),
                joined.readySeconds());
    }

    /** What it took one to join. */
    private record Joined(double readySeconds, double evenSeconds, long bytes) {}

    private Joined start() throws IOException, InterruptedException {
        launched++;
        long begin = System.nanoTime();
        ShardReplica replica = ShardReplica.launch(
                "replica-" + launched,
                contender,
                plane.kubeconfigFile(),
                plane.plane().plane().apiServerUrl(),
                directory);
        replicas.add(replica);
        double ready = replica.process().awaitReady();
        awaitEven();
        double even = (System.nanoTime() - begin) / 1e9;
        long bytes = replica.bytesReceived();
        noteGaps("join", begin, 0, List.of());
        return new Joined(ready, even, bytes);
    }

    private void awaitEven() throws IOException, InterruptedException {
        List<String> names = replicas.stream().map(ShardReplica::name).toList();
        long begin = System.nanoTime();
        while (!leases.areEven(leaseNames, names)) {
            if (System.nanoTime() - begin > LIMIT_NANOS) {
                throw new IOException(contender.name() + ": the Leases do not come to be shared evenly by " + names);
            }
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    /** Bytes a second that the replica receives which receives most, while Foos of all namespaces are edited so often. */
    private double bytesPerSecond(int editsPerSecond) throws IOException, InterruptedException {
        List<Long> before = replicas.stream().map(ShardReplica::bytesReceived).toList();
        long begin = System.nanoTime();
        if (editsPerSecond > 0) {
            edit(editsPerSecond);
        } else {
            TimeUnit.SECONDS.sleep(seconds);
        }
        double took = (System.nanoTime() - begin) / 1e9;
        long most = 0;
        for (int i = 0; i < before.size(); i++) {
            most = Math.max(most, replicas.get(i).bytesReceived() - before.get(i));
        }
        return most / took;
    }

    private void edit(int perSecond) throws IOException, InterruptedException {
        Paced.run(
                EDITORS,
                perSecond * seconds,
                perSecond,
                System.nanoTime(),
                // To another number than before, or nothing is sent to watchers.
                () -> edit -> plane.scale(
                        namespaces.get(edit % namespaces.size()),
                        FooPlane.name(FOO, edit / namespaces.size() % foosEach),
                        1 + (edit + edit / (namespaces.size() * foosEach) + launched) % MOST_REPLICAS));
    }

    /** Reconciles a second of all replicas, when each Foo is reconciled again at once. */
    private double rate(boolean writes) throws IOException, InterruptedException {
        pace.set(AT_ONCE, writes);
        // Foos that wait come back by and by.
        TimeUnit.SECONDS.sleep(2 * WARM_UP_SECONDS);
        long begin = System.nanoTime();
        TimeUnit.SECONDS.sleep(seconds);
        long end = System.nanoTime();
        long count = 0;
        for (ShardReplica replica : replicas) {
            count += replica.reconciles(begin).stream()
                    .filter(reconcile -> reconcile.end() - end < 0)
                    .count();
        }
        return count * 1e9 / (end - begin);
    }

    /** Ends replicas in order one after the other, and then one by SIGKILL; each is replaced. */
    void stopAndKill(int stops) throws IOException, InterruptedException {
        TimeUnit.SECONDS.sleep(STEADY.toSeconds());
        for (int i = 0; i < stops; i++) {
            end(false);
            start();
        }
        end(true);
        start();
    }

    private void end(boolean kill) throws IOException, InterruptedException {
        // One that holds something, also where there is one Lease.
        ShardReplica victim = replicas.stream()
                .filter(replica -> leases.holds(leaseNames, replica.name()))
                .findFirst()
                .orElseThrow();
        replicas.remove(victim);
        long signal = System.nanoTime();
        if (kill) {
            victim.process().kill();
        } else {
            victim.process().terminate();
        }
        awaitEven();
        noteGaps(kill ? "kill" : "stop", signal, signal, List.of(victim));
        victim.close();
    }

    private void noteGaps(String by, long since, long signal, List<ShardReplica> gone)
            throws IOException, InterruptedException {
        // Reconciles are recorded when they end.
        TimeUnit.SECONDS.sleep(1);
        Map<String, List<Reconcile>> reconciles = new LinkedHashMap<>();
        List<ShardReplica> all = new ArrayList<>(replicas);
        all.addAll(gone);
        for (ShardReplica replica : all) {
            reconciles.put(replica.name(), replica.reconciles(since - STEADY.toNanos()));
        }
        for (Move move : leases.moves(leaseNames, since)) {
            boolean released = move.released() != move.taken();
            gaps.computeIfAbsent(by, key -> new ArrayList<>())
                    .add(new Gap(
                            move.taken() - (released || signal == 0 ? move.released() : signal),
                            workGap(move, reconciles),
                            signal == 0 ? 0 : move.taken() - signal));
        }
    }

    private long workGap(Move move, Map<String, List<Reconcile>> reconciles) {
        if (!shards.byNamespace()) {
            // What is recorded of a reconcile does not tell its shard.
            return -1;
        }
        long last = reconciles(move.lease(), move.giver(), reconciles).stream()
                .filter(reconcile -> reconcile.begin() - move.taken() < 0)
                .mapToLong(Reconcile::end)
                .max()
                .orElse(Long.MAX_VALUE);
        return reconciles(move.lease(), move.receiver(), reconciles).stream()
                .filter(reconcile -> reconcile.begin() - last > 0)
                .mapToLong(reconcile -> reconcile.begin() - last)
                .min()
                .orElse(-1);
    }

    private List<Reconcile> reconciles(String lease, String identity, Map<String, List<Reconcile>> all) {
        List<Reconcile> own = all.getOrDefault(identity.substring(0, identity.lastIndexOf('_')), List.of());
        return own.stream()
                .filter(reconcile -> leaseOf(reconcile.namespace()).equals(lease))
                .toList();
    }

    private String leaseOf(String namespace) {
        return leaseNames.get(shards.of(namespace, "", null));
    }

    /** A line of results for each way in which Leases changed hands. */
    List<String> handOvers() {
        return gaps.entrySet().stream()
                .map(entry -> String.format(
                        Locale.ROOT,
                        "%-20s %6s %-6s %5d | %27s | %27s | %27s",
                        contender.name(),
                        filter ? "on" : "off",
                        entry.getKey(),
                        entry.getValue().size(),
                        percentiles(
                                entry.getValue().stream().mapToLong(Gap::lease).toArray()),
                        percentiles(entry.getValue().stream()
                                .mapToLong(Gap::work)
                                .filter(gap -> gap >= 0)
                                .toArray()),
                        percentiles(
                                entry.getValue().stream().mapToLong(Gap::signal).toArray())))
                .toList();
    }

    private static String percentiles(long[] nanos) {
        if (nanos.length == 0) {
            return "-";
        }
        Latency latency = Latency.of(nanos);
        double most = Arrays.stream(nanos).max().orElseThrow() / 1e6;
        return String.format(Locale.ROOT, "%.0f / %.0f / %.0f", latency.p50(), latency.p99(), most);
    }

    @Override
    public void close() throws IOException {
        for (ShardReplica replica : replicas) {
            replica.close();
        }
        leases.close();
        plane.close();
    }
}
