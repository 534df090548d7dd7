package io.controllermanager.benchmarks.informer;

import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.access.ApiAccessResolver;
import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.event.ResourceEvent;
import io.controllermanager.informer.Selection;
import io.controllermanager.informer.internal.HostInformer;
import io.controllermanager.informer.internal.InformerFactory;
import io.controllermanager.informer.internal.InformerOptions;
import io.controllermanager.testing.controlplane.AuditLevel;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.SystemTimer;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * 150 informers, each with a watch of its own, on one client: how long the others wait for an event while one does not
 * read what has been sent to it, and while all read. That one is given more than may be under way to one reader, and stands
 * still in its transform; the others all watch the same objects. Fails if one of the others misses an event.
 *
 * <p>Usage: {@code ManyWatches EVENTS PER_SECOND}.
 */
public final class ManyWatches {

    private static final int OTHERS = 149;

    /** More than the 16 MiB that a stream may be ahead of its reader, and what the API server holds beside. */
    private static final int MEGABYTES = 40;

    private static final String MEGABYTE = "x".repeat(1_000_000);
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private final ApiConnection connection;
    private final SystemTimer timer;
    private final ResourceClient<V1ConfigMap> writing;
    private final int events;
    private final int perSecond;

    private ManyWatches(
            ApiConnection connection,
            SystemTimer timer,
            ResourceClient<V1ConfigMap> writing,
            int events,
            int perSecond) {
        this.connection = connection;
        this.timer = timer;
        this.writing = writing;
        this.events = events;
        this.perSecond = perSecond;
    }

    /** Runs both ways, twice; prints one line for each. */
    public static void main(String[] args) throws Exception {
        try (SystemTimer timer = new SystemTimer("timer");
                ControlPlane plane =
                        ControlPlane.builder().auditLevel(AuditLevel.NONE).start();
                ApiConnection own = ApiConnection.builder(Clock.system(), timer).build()) {
            own.connect(new ApiAccessResolver().resolve(plane.kubeconfigFile().toString(), null));
            ResourceClient<V1ConfigMap> writing = new ResourceClient<>(own.apiClient(), ResourceTypes.CONFIG_MAP);
            System.out.printf(
                    "%d watches on one client, written to by another in the same JVM; milliseconds from the answer to a"
                            + " write%n",
                    OTHERS + 1);
            System.out.printf(
                    "%-22s %7s %9s %8s %8s %8s %12s %10s%n",
                    "one of them", "written", "told", "p50", "p99", "max", "connections", "unread MB");
            for (boolean still : List.of(false, true, false, true)) {
                try (ApiConnection connection =
                        ApiConnection.builder(Clock.system(), timer).build()) {
                    connection.connect(new ApiAccessResolver()
                            .resolve(plane.kubeconfigFile().toString(), null));
                    new ManyWatches(connection, timer, writing, Integer.parseInt(args[0]), Integer.parseInt(args[1]))
                            .measure(plane.createNamespace("busy"), plane.createNamespace("read"), still);
                }
            }
        }
    }

    private void measure(String busy, String read, boolean still) throws Exception {
        long[] answered = new long[events];
        AtomicLongArray arrivals = new AtomicLongArray(OTHERS * events);
        AtomicInteger told = new AtomicInteger();
        CountDownLatch reads = new CountDownLatch(still ? 1 : 0);
        AtomicInteger begun = new AtomicInteger();
        InformerOptions options = new InformerOptions(Set.of(), true, 500, false, false, false);
        try (InformerFactory factory = new InformerFactory(connection, Clock.system(), timer, options)) {
            HostInformer<V1ConfigMap> one = factory.informer(Selection.of(ResourceTypes.CONFIG_MAP)
                    .inNamespaces(Set.of(busy))
                    .transform(object -> {
                        begun.incrementAndGet();
                        awaitQuietly(reads);
                        return object.data(Map.of());
                    }));
            List<HostInformer<V1ConfigMap>> informers = new ArrayList<>(List.of(one));
            for (int i = 0; i < OTHERS; i++) {
                int index = i;
                // Selected differently, so that each has a watch of its own; and all select all.
                HostInformer<V1ConfigMap> other = factory.informer(Selection.of(ResourceTypes.CONFIG_MAP)
                        .inNamespaces(Set.of(read))
                        .fields("metadata.name!=nobody-" + i));
                other.subscribe("latency", event -> arrived(event, index, arrivals, told), Duration.ZERO);
                informers.add(other);
            }
            informers.forEach(HostInformer::run);
            await(
                    "all watches are open",
                    () -> informers.stream()
                            .allMatch(informer -> informer.status().connected()));
            for (int i = 0; i < MEGABYTES; i++) {
                writing.create(configMap(busy, "big-" + i, MEGABYTE));
            }
            await("the one is told", () -> begun.get() >= (still ? 1 : MEGABYTES));
            write(read, answered);
            await("all others are told", () -> told.get() == OTHERS * events);
            int unread = MEGABYTES - begun.get();
            int connections =
                    connection.apiClient().getHttpClient().connectionPool().connectionCount();
            report(still, answered, arrivals, connections, unread);
            reads.countDown();
            await("the one has caught up", () -> one.status().objects() >= MEGABYTES);
        }
    }

    private void write(String read, long[] answered) throws Exception {
        long start = System.nanoTime();
        for (int i = 0; i < events; i++) {
            long due = start + TimeUnit.SECONDS.toNanos(i) / perSecond;
            for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            writing.create(configMap(read, "small-" + i, "1"));
            answered[i] = System.nanoTime();
        }
    }

    private void arrived(ResourceEvent<V1ConfigMap> event, int informer, AtomicLongArray arrivals, AtomicInteger told) {
        long now = System.nanoTime();
        String name = event.object().getMetadata().getName();
        if (name.startsWith("small-")) {
            arrivals.set(informer * events + Integer.parseInt(name.substring(6)), now);
            told.incrementAndGet();
        }
    }

    private void report(boolean still, long[] answered, AtomicLongArray arrivals, int connections, int unread) {
        long[] waits = new long[OTHERS * events];
        for (int i = 0; i < waits.length; i++) {
            waits[i] = arrivals.get(i) - answered[i % events];
        }
        Arrays.sort(waits);
        System.out.printf(
                Locale.ROOT,
                "%-22s %7d %9d %8.2f %8.2f %8.2f %12d %10d%n",
                still ? "does not read" : "reads like the others",
                events,
                waits.length,
                waits[waits.length / 2] / 1e6,
                waits[(int) (waits.length * 0.99)] / 1e6,
                waits[waits.length - 1] / 1e6,
                connections,
                unread);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            // The informer is being stopped.
            Thread.currentThread().interrupt();
        }
    }

    private static void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new IllegalStateException("it did not come about that " + what);
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }

    private static V1ConfigMap configMap(String namespace, String name, String value) {
        return new V1ConfigMap()
                .metadata(new V1ObjectMeta().namespace(namespace).name(name))
                .data(Map.of("value", value));
    }
}
