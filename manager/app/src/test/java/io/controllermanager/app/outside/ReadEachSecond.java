package io.controllermanager.app.outside;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.app.support.Programs;
import io.controllermanager.testing.controlplane.ControlPlane;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Somebody who asks kubectl for an object of each of some versions every second, and for all objects as often or less. Each time must
 * succeed.
 */
final class ReadEachSecond implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ReadEachSecond.class);

    private final ScheduledExecutorService threads;
    private final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
    private final AtomicInteger reads = new AtomicInteger();
    private final AtomicInteger excused = new AtomicInteger();
    private final AtomicLong longest = new AtomicLong();
    /** Begins and ends of what excuses reads: odd meanwhile. */
    private final AtomicInteger excuses = new AtomicInteger();

    /** Something that is done meanwhile. */
    interface Action {
        void run() throws Exception;
    }

    /**
     * Begins.
     *
     * @param lists how many seconds pass from one look at all objects to the next: kubectl takes seconds for many of them
     */
    ReadEachSecond(ControlPlane plane, int lists, String... versions) {
        threads = Executors.newScheduledThreadPool(2 * versions.length);
        for (String version : versions) {
            String all = "websites." + version + ".example.com";
            schedule(plane, 1, "get", all, "site-0", "--output=jsonpath={.spec}");
            schedule(plane, lists, "get", all, "--output=name", "--all-namespaces");
        }
    }

    private void schedule(ControlPlane plane, int seconds, String... arguments) {
        Future<?> ignored = threads.scheduleAtFixedRate(() -> read(plane, arguments), 0, seconds, TimeUnit.SECONDS);
    }

    private void read(ControlPlane plane, String... arguments) {
        long begin = System.nanoTime();
        int before = excuses.get();
        try {
            Programs.Answer answer = Programs.runOn(plane, "kubectl", arguments);
            reads.incrementAndGet();
            longest.accumulateAndGet(System.nanoTime() - begin, Math::max);
            // A list of many objects may have begun before, and end after.
            if (answer.exitCode() != 0 && (before % 2 == 1 || before != excuses.get())) {
                excused.incrementAndGet();
            } else if (answer.exitCode() != 0) {
                failures.add(Instant.now() + " " + String.join(" ", arguments) + ": " + answer.err());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            failures.add(String.join(" ", arguments) + ": " + e);
        }
    }

    /** Reads that fail meanwhile are counted apart, such as those that went to a process that is killed. */
    void excuseWhile(Action action) throws Exception {
        excuses.incrementAndGet();
        action.run();
        excuses.incrementAndGet();
    }

    /** No read has failed so far, but for those that are excused. */
    void expectSuccess() {
        log.atInfo()
                .addKeyValue("reads", reads)
                .addKeyValue("excused", excused)
                .addKeyValue("longest", Duration.ofNanos(longest.get()))
                .log("Read each second");
        assertThat(failures).isEmpty();
        assertThat(reads).hasPositiveValue();
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
