package io.controllermanager.external.internal;

import io.controllermanager.client.internal.request.FailureMessage;
import io.controllermanager.controller.internal.FailureCause;
import io.controllermanager.controller.internal.KeyMemories;
import io.controllermanager.external.External;
import io.controllermanager.external.ExternalSystem.ById;
import io.controllermanager.time.Clock;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Asks one system for one controller, and remembers what it was told. Safe for use by several threads, of which one at a time
 * deals with an object.
 */
class SystemAccess<K, V> {

    final External<K, V> external;
    final Clock clock;
    final Gate gate;

    private final Map<Request, Map<K, Seen<V>>> seen;
    private final ReentrantLock reading = new ReentrantLock();
    private volatile @Nullable Whole<K, V> whole;

    /**
     * What was read of a thing.
     *
     * @param value null if it was not there
     * @param at when, on the monotonic clock
     * @param written what had been written just before, null for nothing
     */
    record Seen<V>(@Nullable V value, long at, @Nullable V written) {}

    /** All things, as read from this time on. */
    private record Whole<K, V>(Map<K, V> values, long at) {}

    /** A call has failed. Of the class follows the reason that the status tells. */
    @SuppressWarnings("serial")
    static final class ExternalCallException extends RuntimeException {
        ExternalCallException(String message, Exception cause) {
            super(message, cause);
        }
    }

    /** A call has failed since the system is down. */
    @SuppressWarnings("serial")
    static final class Outage extends RuntimeException {

        final transient Gate.Wait wait;

        Outage(Gate.Wait wait) {
            super(wait.message(), null, false, false);
            this.wait = wait;
        }
    }

    SystemAccess(External<K, V> external, Clock clock, KeyMemories memories) {
        this.external = external;
        this.clock = clock;
        this.gate = new Gate(external.name(), external.limit(), clock, memories.part());
        this.seen = memories.part();
    }

    /** What was read last of a thing, null if it was not. */
    @Nullable
    Seen<V> seen(Request owner, K id) {
        Seen<V> own = seen.getOrDefault(owner, Map.of()).get(id);
        Whole<K, V> all = whole;
        return all == null || (own != null && own.at - all.at >= 0)
                ? own
                : new Seen<>(all.values.get(id), all.at, null);
    }

    /** How much is left of a time that began with a read; zero or less if nothing is. */
    Duration left(Seen<V> last, Duration time) {
        return time.minusNanos(clock.nanoTime() - last.at);
    }

    /**
     * Reads a thing.
     *
     * @param written what was written just before, null for nothing
     */
    Seen<V> read(Request owner, K id, @Nullable V written) {
        V value = call(owner, "read", () -> external.system().read(id));
        return remember(owner, id, value, written);
    }

    final Seen<V> remember(Request owner, K id, @Nullable V value, @Nullable V written) {
        Seen<V> now = new Seen<>(value, clock.nanoTime(), written);
        seen.computeIfAbsent(owner, key -> new ConcurrentHashMap<>()).put(id, now);
        return now;
    }

    /** Reads all things if that is due; others who need them meanwhile wait for them. */
    void readAll(Request owner) {
        if (!isWholeDue()) {
            return;
        }
        reading.lock();
        try {
            if (isWholeDue()) {
                long begun = clock.nanoTime();
                whole = new Whole<>(Map.copyOf(call(owner, "read all", external.system()::readAll)), begun);
            }
        } finally {
            reading.unlock();
        }
    }

    private boolean isWholeDue() {
        Whole<K, V> all = whole;
        return external.whole()
                && (all == null || clock.nanoTime() - all.at >= external.poll().toNanos());
    }

    /** Forgets what was read of a thing. */
    void forget(Request owner, K id) {
        seen.computeIfPresent(owner, (key, things) -> {
            things.remove(id);
            return things.isEmpty() ? null : things;
        });
    }

    /** A write. */
    interface Write {
        void run() throws Exception;
    }

    /** Makes a thing; gives its id. */
    String create(Request owner, ById<V> system, String token, V wanted) {
        return call(owner, "create", () -> system.create(token, wanted));
    }

    /** As {@link #call}, of what changes a thing: what was read of it counts no more. */
    void write(Request owner, K id, String what, Write write) {
        forget(owner, id);
        call(owner, what, () -> {
            write.run();
            return id;
        });
    }

    /** With what is at the bottom of it, such as a refused connection, of which a driver's own words may say nothing. */
    private static String why(Exception failure) {
        List<Throwable> chain = FailureCause.chain(failure);
        String words = FailureMessage.of(failure);
        String bottom = FailureMessage.of(chain.get(chain.size() - 1));
        return words.equals(bottom) ? words : words + " (" + bottom + ")";
    }

    /**
     * Makes a call for an object that the gate has let in.
     *
     * @throws Outage if it fails since the system is down
     * @throws ExternalCallException if it fails otherwise
     */
    <R> R call(Request owner, String what, Callable<R> call) {
        gate.pass(owner);
        try {
            if (Thread.interrupted()) {
                throw new InterruptedException("the reconcile is to end");
            }
            R answer = call.call();
            gate.answered();
            return answer;
        } catch (Exception e) {
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            boolean interrupted = Thread.currentThread().isInterrupted();
            if (!interrupted && external.system().isOutage(e)) {
                throw new Outage(gate.failed(owner, why(e)));
            }
            if (!interrupted) {
                gate.answered();
            }
            throw new ExternalCallException(
                    "cannot " + what + " " + external.name() + ": " + FailureMessage.words(e), e);
        }
    }
}
