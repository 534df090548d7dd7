package io.controllermanager.informer.internal.reflector;

import io.controllermanager.client.internal.request.ApiRequests;
import io.controllermanager.client.internal.request.ErrorKind;
import io.controllermanager.client.internal.request.GarbledStreamException;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.Timer;
import io.kubernetes.client.openapi.ApiException;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Opens watches and reads from them. Each lasts a random 5 to 10 minutes, as client-go's. Used by the reflector's thread,
 * save {@link #cancelStale}.
 *
 * @param <T> the object's class
 */
final class Watcher<T> {

    /** A watch that ends sooner and says nothing counts as failed, lest a broken server be asked without a pause. */
    static final Duration TOO_SHORT = Duration.ofSeconds(1);

    private static final int SHORTEST_WATCH_SECONDS = 300;

    /**
     * How long a quiet watch lasts that may not be silent for so long as a bookmark takes. The API server sends one shortly
     * before such a watch's end, so that the next one does not start from an ever older version.
     */
    private static final int QUIET_WATCH_SECONDS = 20;

    /** A request without an answer for so long was sent to the API server's former life. */
    private static final Duration LONG_TO_OPEN = Duration.ofSeconds(2);

    /**
     * How long a watch may take to open before it is tried anew: the API server answers at once, so that a longer silence
     * comes of a connection that leads nowhere. Doubled each time it did not help.
     */
    private static final Duration SHORTEST_PATIENCE = Duration.ofSeconds(5);

    private static final Duration LONGEST_PATIENCE = Duration.ofSeconds(60);

    private final Parts<T> parts;
    private final AtomicBoolean stale = new AtomicBoolean();
    private volatile @Nullable Long openingNanos;
    private Duration patience = SHORTEST_PATIENCE;
    private boolean quiet;

    /** What it has in common with others of a reflector. */
    record Parts<T>(
            ListWatch<T> source,
            Clock clock,
            Timer timer,
            ReflectorState state,
            ReflectorMetrics metrics,
            ReflectorErrors errors) {}

    Watcher(Parts<T> parts) {
        this.parts = parts;
    }

    /**
     * Opens a watch.
     *
     * @param initialState whether it is to begin with every object
     */
    Session open(String version, boolean initialState) throws ApiException {
        int timeout = quiet && !initialState
                ? QUIET_WATCH_SECONDS
                : SHORTEST_WATCH_SECONDS + ThreadLocalRandom.current().nextInt(SHORTEST_WATCH_SECONDS);
        long begun = parts.clock().nanoTime();
        IdleGuard guard = new IdleGuard(patience, parts.clock(), parts.timer(), parts.source()::cancel);
        openingNanos = begun;
        parts.errors().asking("watch");
        parts.metrics().watches.increment();
        boolean opened = false;
        try {
            Session session = new Session(
                    initialState
                            ? parts.source().watchList(version, timeout)
                            : parts.source().watch(version, timeout),
                    guard,
                    begun,
                    Duration.ofSeconds(timeout));
            opened = true;
            patience = SHORTEST_PATIENCE;
            return session;
        } catch (ApiException e) {
            ended(guard, End.of(ErrorKind.of(e)), begun, 0);
            if (guard.silent() && e.getCode() == 0) {
                if (patience.equals(SHORTEST_PATIENCE)) {
                    stale.set(true);
                }
                Duration doubled = patience.multipliedBy(2);
                patience = doubled.compareTo(LONGEST_PATIENCE) > 0 ? LONGEST_PATIENCE : doubled;
            }
            throw e;
        } finally {
            openingNanos = null;
            if (!opened) {
                guard.close();
            }
        }
    }

    private void ended(IdleGuard guard, End end, long begun, long events) {
        parts.metrics()
                .watchEnded(
                        parts.state().isStopped() ? End.STOPPED : guard.silent() ? End.SILENT : end,
                        since(begun),
                        events);
    }

    private Duration since(long nanos) {
        return Duration.ofNanos(parts.clock().nanoTime() - nanos);
    }

    /** Ends an attempt that was begun before the API server came back. May be called by any thread. */
    void cancelStale() {
        Long since = openingNanos;
        if (since != null && since(since).compareTo(LONG_TO_OPEN) > 0) {
            stale.set(true);
            parts.source().cancel();
        }
    }

    /** Whether the attempt that failed is to be repeated at once. Tells so once. */
    boolean takeStale() {
        return stale.getAndSet(false);
    }

    /** How a watch ended. */
    enum End {
        /** The API server ended it in order, as it does when its time is over. */
        REGULAR,
        /** The API server no longer knew where it was to go on. */
        EXPIRED,
        /** The API server said that it cannot go on. */
        FAILED,
        /** The connection broke off. */
        CUT,
        /** It said nothing for too long and was ended here. */
        SILENT,
        /** It sent what is no event, or did not send what was asked for. */
        GARBLED,
        /** The reflector was stopped. */
        STOPPED;

        /** How a watch ended that the API server refused to open or to go on with, or that it did not answer. */
        static End of(ErrorKind error) {
            return switch (error) {
                case NO_ANSWER -> CUT;
                case EXPIRED -> EXPIRED;
                default -> FAILED;
            };
        }

        /** As metrics and status have it. */
        String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** A watch from its opening to its end. */
    final class Session implements AutoCloseable {

        private final WatchStream<T> stream;
        private final IdleGuard guard;
        private final long begun;
        private final Duration asked;
        private long events;
        private boolean initialState;
        private End end = End.CUT;

        private Session(WatchStream<T> stream, IdleGuard guard, long begun, Duration asked) {
            this.asked = asked;
            this.stream = stream;
            this.guard = guard;
            this.begun = begun;
            guard.heard();
            guard.limit(stream.idleLimit());
            parts.state().connected();
            parts.errors().answered("watch");
        }

        /**
         * Waits for the next event, which is never an error.
         *
         * @return null at the regular end
         * @throws ApiException if the API server says that it cannot go on
         * @throws IOException if the stream breaks off, or what comes makes no sense
         */
        @Nullable
        WatchEvent<T> next() throws ApiException, IOException {
            WatchEvent<T> event;
            try {
                event = stream.next();
            } catch (GarbledStreamException e) {
                parts.metrics().undecodable.increment();
                end = End.GARBLED;
                throw e;
            }
            if (event == null) {
                end = End.REGULAR;
                return null;
            }
            parts.state().heard();
            guard.heard();
            events++;
            parts.metrics().event(event);
            if (event instanceof WatchEvent.Failed<T> failed) {
                end = End.of(ErrorKind.of(failed.code(), failed.message()));
                throw ApiRequests.failure(
                        "watch " + parts.source().target(),
                        failed.code(),
                        failed.message(),
                        failed.retryAfterSeconds());
            }
            return event;
        }

        /** The initial state follows, and the stream may not be silent for longer than this. */
        void initialState(Duration idleLimit) {
            guard.limit(idleLimit);
            initialState = true;
        }

        /** The initial state has been read. */
        void initialStateEnded() {
            guard.limit(stream.idleLimit());
            initialState = false;
        }

        /** Whether it was ended for its silence. */
        boolean isSilent() {
            return guard.silent();
        }

        boolean saidNothing() {
            return events == 0 && lasted().compareTo(TOO_SHORT) < 0;
        }

        /** Whether it has not lasted for as long as was asked for, as when the API server stops. */
        boolean endedEarly() {
            return lasted().compareTo(asked) < 0;
        }

        /** Time since it was asked for. */
        Duration lasted() {
            return since(begun);
        }

        @Override
        public void close() {
            parts.state().disconnected();
            guard.close();
            stream.close();
            ended(guard, end, begun, events);
            // How long the next one lasts depends on this one.
            if (initialState) {
                return;
            }
            if (guard.silent()) {
                quiet = stream.idleLimit().compareTo(Duration.ofSeconds(QUIET_WATCH_SECONDS * 2)) < 0;
            } else if (end == End.REGULAR) {
                // Beside the bookmark at its end.
                quiet &= events <= 1;
            }
        }
    }

    /** Ends a stream that has said nothing for too long. */
    private static final class IdleGuard implements AutoCloseable {

        private final Clock clock;
        private final Timer timer;
        private final Runnable onSilence;
        private volatile Duration limit;
        private volatile long heardNanos;
        private volatile boolean closed;
        private volatile boolean silent;
        private volatile Timer.Cancellable next;

        /**
         * Begins to count.
         *
         * @param onSilence makes whoever reads the stream stop waiting
         */
        IdleGuard(Duration limit, Clock clock, Timer timer, Runnable onSilence) {
            this.limit = limit;
            this.clock = clock;
            this.timer = timer;
            this.onSilence = onSilence;
            this.heardNanos = clock.nanoTime();
            this.next = timer.schedule(limit, this::check);
        }

        /** The stream has said something. */
        void heard() {
            heardNanos = clock.nanoTime();
        }

        /** Sets another limit, counted from what was heard last. */
        void limit(Duration newLimit) {
            limit = newLimit;
            next.cancel();
            check();
        }

        /** Whether the stream was ended for its silence. */
        boolean silent() {
            return silent;
        }

        private void check() {
            if (closed) {
                return;
            }
            Duration left = limit.minusNanos(clock.nanoTime() - heardNanos);
            if (left.isNegative() || left.isZero()) {
                silent = true;
                onSilence.run();
            } else {
                next = timer.schedule(left, this::check);
                if (closed) {
                    // In between: whoever closed has cancelled the one before.
                    next.cancel();
                }
            }
        }

        @Override
        public void close() {
            closed = true;
            next.cancel();
        }
    }
}
