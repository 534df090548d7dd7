package io.controllermanager.benchmarks.restart;

import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.internal.access.ApiAccessResolver;
import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.event.ResourceEvent;
import io.controllermanager.foo.Foo;
import io.controllermanager.informer.internal.HostInformer;
import io.controllermanager.informer.internal.InformerFactory;
import io.controllermanager.informer.internal.InformerOptions;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.SystemTimer;
import io.controllermanager.workqueue.internal.WorkQueue;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * An informer, a queue and workers whose reconcile takes 5 ms, just started: edits Foos one by one while the initial list
 * is worked off, and notes how long it takes until each edit has been reconciled. It is a controller's path with the
 * priorities of a controller, put together by hand so that they can be switched off.
 */
public final class RestartRun {

    static final String HEADER = "priorities  round  workers   foos  edits   p50_ms   p99_ms   max_ms  all_s";

    private static final int WORKERS = 16;
    private static final int EDITS = 200;
    private static final int EDITS_PER_SECOND = 20;
    private static final long RECONCILE = TimeUnit.MILLISECONDS.toNanos(5);
    private static final int EDITED_REPLICAS = 2;

    private final Map<String, Long> reconciled = new ConcurrentHashMap<>();
    private final CountDownLatch first = new CountDownLatch(1);
    private final CountDownLatch edited = new CountDownLatch(EDITS);

    private RestartRun() {}

    /** Arguments: how many Foos there are, {@code on} or {@code off}, the round. */
    public static void main(String[] args) throws Exception {
        int foos = Integer.parseInt(args[0]);
        new RestartRun().measure(foos, args[1], args[2]);
        // Threads of the queue, the informer and the timer end with the process.
        System.exit(0);
    }

    private void measure(int foos, String priorities, String round) throws Exception {
        Clock clock = Clock.system();
        SystemTimer timer = new SystemTimer("restart-timer");
        ApiConnection connection = ApiConnection.builder(clock, timer).build();
        connection.connect(new ApiAccessResolver().resolve(null, null));
        HostInformer<Foo> informer =
                new InformerFactory(connection, clock, timer, InformerOptions.DEFAULTS).informer(Foo.TYPE);
        WorkQueue<String> queue = WorkQueue.<String>named("restart")
                .clock(clock)
                .timer(timer)
                .priorities(priorities.equals("on"))
                .build();
        informer.subscribe(
                "restart", event -> queue.add(event.object().getMetadata().getName(), priority(event)), Duration.ZERO);
        long start = System.nanoTime();
        informer.run();
        while (!informer.hasSynced()) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
        for (int i = 0; i < WORKERS; i++) {
            Thread worker = new Thread(() -> work(queue, informer), "restart-worker-" + i);
            worker.setDaemon(true);
            worker.start();
        }
        first.await();
        long[] answered = edit(new ResourceClient<>(connection.apiClient(), Foo.TYPE), foos);
        edited.await();
        while (queue.size() > 0) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
        report(priorities, round, foos, answered, (System.nanoTime() - start) / 1e9);
    }

    private static int priority(ResourceEvent<Foo> event) {
        return event instanceof ResourceEvent.Created<Foo> created && created.initial()
                ? WorkQueue.LOW_PRIORITY
                : WorkQueue.NORMAL_PRIORITY;
    }

    private void work(WorkQueue<String> queue, HostInformer<Foo> informer) {
        try {
            while (true) {
                String name = queue.take();
                if (name == null) {
                    return;
                }
                Foo foo = informer.lister().namespace("default").get(name);
                LockSupport.parkNanos(RECONCILE);
                queue.done(name);
                first.countDown();
                if (foo != null
                        && Integer.valueOf(EDITED_REPLICAS).equals(foo.replicas())
                        && reconciled.putIfAbsent(name, System.nanoTime()) == null) {
                    edited.countDown();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static String edited(int index, int foos) {
        return String.format("foo-%05d", (long) index * foos / EDITS);
    }

    /** Edits Foos from all over the list, and gives when the API server had answered each. */
    private static long[] edit(ResourceClient<Foo> client, int foos) throws Exception {
        long[] answered = new long[EDITS];
        long start = System.nanoTime();
        for (int i = 0; i < EDITS; i++) {
            long due = start + TimeUnit.SECONDS.toNanos(i) / EDITS_PER_SECOND;
            while (System.nanoTime() < due) {
                LockSupport.parkNanos(due - System.nanoTime());
            }
            client.patch(
                    "default", edited(i, foos), new Patch.Merge("{\"spec\":{\"replicas\":" + EDITED_REPLICAS + "}}"));
            answered[i] = System.nanoTime();
        }
        return answered;
    }

    private void report(String priorities, String round, int foos, long[] answered, double allSeconds) {
        long[] nanos = new long[EDITS];
        for (int i = 0; i < EDITS; i++) {
            Long at = reconciled.get(edited(i, foos));
            nanos[i] = at == null ? Long.MAX_VALUE : Math.max(0, at - answered[i]);
        }
        Arrays.sort(nanos);
        System.out.printf(
                Locale.ROOT,
                "priorities %3s %3s %8d %6d %6d %8.1f %8.1f %8.1f %6.1f%n",
                priorities,
                round,
                WORKERS,
                foos,
                EDITS,
                nanos[EDITS / 2 - 1] / 1e6,
                nanos[EDITS * 99 / 100 - 1] / 1e6,
                nanos[EDITS - 1] / 1e6,
                allSeconds);
    }
}
