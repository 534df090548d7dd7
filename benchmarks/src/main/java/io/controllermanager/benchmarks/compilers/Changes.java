package io.controllermanager.benchmarks.compilers;

import io.controllermanager.benchmarks.plane.LineWatch;
import io.controllermanager.benchmarks.plane.Paced;
import io.controllermanager.benchmarks.throughput.FooPlane;
import io.controllermanager.benchmarks.throughput.Latency;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Scales one Foo of a namespace after another, evenly spaced, whether or not those before have been seen to, and watches
 * for the Deployments with these replicas.
 */
final class Changes implements AutoCloseable {

    /** How many changes may be under way, so that a slow answer does not delay those that are due. */
    private static final int CONNECTIONS = 16;

    /** As many as the CRD allows; a Foo begins with one. */
    private static final int MOST_REPLICAS = 10;

    private final FooPlane plane;
    private final String namespace;
    private final int foos;
    private final int perSecond;
    private final int most;
    private final AtomicIntegerArray begun;
    private final AtomicLongArray answered;
    private final AtomicLongArray seen;
    private final AtomicInteger exactlySeen = new AtomicInteger();
    private final LineWatch watch;

    Changes(FooPlane plane, String namespace, int foos, int perSecond, int seconds) throws IOException {
        this.plane = plane;
        this.namespace = namespace;
        this.foos = foos;
        this.perSecond = perSecond;
        most = perSecond * seconds;
        begun = new AtomicIntegerArray(foos);
        answered = new AtomicLongArray(most);
        seen = new AtomicLongArray(most);
        watch = plane.watchDeployments(namespace, this::note);
    }

    /** How many replicas a Foo gets by its first change, by the next and so on. */
    private static int replicas(int round) {
        return 1 + round % MOST_REPLICAS;
    }

    /** It is the last change of this Foo that asked for so many replicas. */
    private void note(String line) {
        long now = System.nanoTime();
        String name = LineWatch.field(line, "\"name\":\"", '"');
        // The API server writes a Deployment's replicas first, unlike those of its status.
        int replicas = Integer.parseInt(LineWatch.field(line, "\"spec\":{\"replicas\":", ','));
        int foo = Integer.parseInt(name.substring(name.lastIndexOf('-') + 1));
        int round = begun.get(foo);
        while (round > 0 && replicas(round) != replicas) {
            round--;
        }
        if (round > 0 && seen.compareAndSet(change(round, foo), 0, now)) {
            exactlySeen.incrementAndGet();
        }
        // Those that it has overtaken have waited until now too.
        int overtaken = round - 1;
        while (overtaken > 0 && seen.compareAndSet(change(overtaken, foo), 0, now)) {
            overtaken--;
        }
    }

    private int change(int round, int foo) {
        return (round - 1) * foos + foo;
    }

    /** Makes all that become due from a moment on until another, as far as the API server keeps up. */
    void make(long begin, long end) throws IOException, InterruptedException {
        Paced.run(CONNECTIONS, most, perSecond, begin, () -> change -> {
            if (System.nanoTime() > end) {
                return;
            }
            int foo = change % foos;
            int round = 1 + change / foos;
            begun.set(foo, round);
            plane.scale(namespace, FooPlane.name(CompilerCost.FOO, foo), replicas(round));
            answered.set(change, System.nanoTime());
        });
    }

    /** How many the API server has answered. */
    int made() {
        return (int) IntStream.range(0, most)
                .filter(change -> answered.get(change) != 0)
                .count();
    }

    /** How many came to a Deployment before the next of the same Foo. */
    int seen() {
        return exactlySeen.get();
    }

    /** Of those that were answered from a moment on until another, and seen or overtaken; null if there are none. */
    @Nullable
    Latency latency(long from, long until) {
        long[] nanos = IntStream.range(0, most)
                .filter(change -> answered.get(change) != 0 && seen.get(change) != 0)
                .filter(change -> answered.get(change) - from >= 0 && answered.get(change) - until < 0)
                // The Deployment may be here before the answer.
                .mapToLong(change -> Math.max(0, seen.get(change) - answered.get(change)))
                .toArray();
        return nanos.length == 0 ? null : Latency.of(nanos);
    }

    @Override
    public void close() {
        watch.close();
    }
}
