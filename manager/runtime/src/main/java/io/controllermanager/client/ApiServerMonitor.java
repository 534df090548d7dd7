package io.controllermanager.client;

import io.controllermanager.time.Clock;
import io.controllermanager.time.Timer;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows whether the API server can be reached. A request that fails below HTTP, or with a server error, raises the
 * question; {@code GET /readyz} answers it, about once a second until the answer is 200. Then those who wait for the API
 * server are told, so that what failed during an outage is tried again at once and not when its backoff ends.
 *
 * <p>An API server that comes up answers requests before it is ready, with 403, 500 or 503; only {@code /readyz} counts
 * here. Where this process may not ask for {@code /readyz} (401, 403 or 404), some such answers in a row count as ready.
 *
 * <p>Safe for use by several threads. Listeners are called on the timer's or an HTTP thread and must not block.
 */
public final class ApiServerMonitor implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ApiServerMonitor.class);

    private static final Duration PROBE_INTERVAL = Duration.ofSeconds(1);
    private static final double JITTER = 0.2;

    /** How many answers in a row that say "you may not ask" count as ready: about as long as RBAC takes to load. */
    private static final int REFUSALS_THAT_COUNT = 5;

    /**
     * A request that was under way when the API server became ready may fail after that; listeners are told again so
     * that it is not left to its backoff.
     */
    private static final List<Duration> ECHOES =
            List.of(Duration.ofSeconds(1), Duration.ofSeconds(3), Duration.ofSeconds(8));

    private final Supplier<String> server;
    private final Probe probe;
    private final Clock clock;
    private final Timer timer;
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    private final Object lock = new Object();

    // Guarded by lock.
    private State state = State.REACHABLE;
    private int refusals;
    private long unreachableNanos;
    private long lastProbeNanos;
    private boolean probedBefore;
    private boolean closed;
    private @Nullable Instant unreachableSince;
    private @Nullable String lastError;

    private enum State {
        REACHABLE,
        /** Something failed; the first probe will tell. */
        SUSPECT,
        UNREACHABLE
    }

    /** Equal only to itself, so that the same action registered twice is two registrations. */
    private static final class Listener {

        private final Runnable action;

        Listener(Runnable action) {
            this.action = action;
        }
    }

    /** Asks the API server whether it is ready. */
    @FunctionalInterface
    interface Probe {

        /** Sends the question and returns; exactly one method of the answer is called later, on any thread. */
        void ask(Answer answer);
    }

    /** Takes a probe's outcome. */
    interface Answer {

        /** The HTTP status that came back. */
        void status(int code);

        /** Nothing came back. */
        void failed(IOException e);
    }

    ApiServerMonitor(Supplier<String> server, Probe probe, Clock clock, Timer timer) {
        this.server = server;
        this.probe = probe;
        this.clock = clock;
        this.timer = timer;
    }

    /** Whether the API server could be reached when it was last needed. */
    public boolean reachable() {
        synchronized (lock) {
            return state != State.UNREACHABLE;
        }
    }

    /** Since when the API server cannot be reached, null if it can. */
    public @Nullable Instant unreachableSince() {
        synchronized (lock) {
            return unreachableSince;
        }
    }

    /** Why the API server could not be reached the last time that it could not, null if it always could. */
    public @Nullable String lastError() {
        synchronized (lock) {
            return lastError;
        }
    }

    /**
     * Calls back when the API server is ready again after an outage, which a probe has seen, and a few times more in the
     * seconds after that, for stragglers. Requests that fail while the API server answers probes call nobody back: what
     * keeps failing is left to its own backoff.
     */
    public Registration onRecovery(Runnable listener) {
        Listener registered = new Listener(listener);
        listeners.add(registered);
        return () -> listeners.remove(registered);
    }

    /**
     * Raises the question whether the API server can be reached, for whoever has a reason to doubt it, such as a stream
     * that broke off. Nobody is told of a recovery if it can.
     *
     * @param reason what gives rise to the doubt
     */
    public void doubt(String reason) {
        suspect(reason);
    }

    /** Says that a request failed below HTTP; the probe decides whether that is an outage. */
    void connectionFailed(IOException cause) {
        suspect(describe(cause));
    }

    /** Sees what becomes of each request of a client. */
    HostInterceptor observer() {
        return chain -> {
            Response response;
            try {
                response = chain.proceed(chain.request());
            } catch (IOException e) {
                boolean refused = e instanceof WriteFence.WriteRefusedException;
                if (!refused
                        && !chain.call().isCanceled()
                        && !Thread.currentThread().isInterrupted()) {
                    connectionFailed(e);
                }
                throw e;
            }
            if (response.code() >= 500) {
                suspect("HTTP " + response.code());
            }
            return response;
        };
    }

    private void suspect(String error) {
        Duration delay;
        synchronized (lock) {
            if (closed) {
                return;
            }
            if (state != State.REACHABLE) {
                return;
            }
            state = State.SUSPECT;
            lastError = error;
            unreachableNanos = clock.nanoTime();
            refusals = 0;
            // At most one probe a second, however many requests fail while probes succeed.
            Duration sinceProbe = probedBefore ? Duration.ofNanos(clock.nanoTime() - lastProbeNanos) : PROBE_INTERVAL;
            delay = sinceProbe.compareTo(PROBE_INTERVAL) >= 0 ? Duration.ZERO : PROBE_INTERVAL.minus(sinceProbe);
        }
        schedule(delay, this::sendProbe);
    }

    private void sendProbe() {
        synchronized (lock) {
            if (closed) {
                return;
            }
            probedBefore = true;
            lastProbeNanos = clock.nanoTime();
        }
        probe.ask(new Answer() {
            @Override
            public void status(int code) {
                answered(code);
            }

            @Override
            public void failed(IOException e) {
                unready(describe(e), true);
            }
        });
    }

    private void answered(int code) {
        boolean refusal = code == 401 || code == 403 || code == 404;
        if (code == 200) {
            ready();
        } else if (refusal && countRefusal()) {
            ready();
        } else {
            // While refusals are being counted nothing is known yet.
            unready("GET /readyz answers HTTP " + code, !refusal);
        }
    }

    private boolean countRefusal() {
        synchronized (lock) {
            return ++refusals >= REFUSALS_THAT_COUNT;
        }
    }

    private void unready(String error, boolean certain) {
        boolean first;
        synchronized (lock) {
            if (closed) {
                return;
            }
            if (certain) {
                refusals = 0;
            }
            first = state == State.SUSPECT && certain;
            if (first) {
                state = State.UNREACHABLE;
                unreachableSince = clock.now();
            }
            lastError = error;
        }
        if (first) {
            log.atWarn()
                    .addKeyValue("apiServer", server.get())
                    .addKeyValue("cause", error)
                    .log("API server {} cannot be reached: {}; retrying", server.get(), error);
        }
        schedule(jittered(), this::sendProbe);
    }

    private void ready() {
        boolean wasUnreachable;
        Duration outage;
        synchronized (lock) {
            if (closed) {
                return;
            }
            wasUnreachable = state == State.UNREACHABLE;
            outage = Duration.ofNanos(clock.nanoTime() - unreachableNanos);
            state = State.REACHABLE;
            unreachableSince = null;
        }
        if (wasUnreachable) {
            log.atInfo()
                    .addKeyValue("apiServer", server.get())
                    .addKeyValue("outageSeconds", outage.toSeconds())
                    .log("API server {} reachable again after {} s", server.get(), outage.toSeconds());
            tellListeners();
            for (Duration echo : ECHOES) {
                schedule(echo, this::tellListeners);
            }
        }
    }

    private void tellListeners() {
        synchronized (lock) {
            if (closed || state == State.UNREACHABLE) {
                return;
            }
        }
        for (Listener listener : listeners) {
            try {
                listener.action.run();
            } catch (RuntimeException e) {
                log.error("API server {}: a listener for its return failed: {}", server.get(), FailureMessage.of(e), e);
            }
        }
    }

    /** Under the lock, since the timer is closed right after this, and would throw on the thread of a late answer. */
    private void schedule(Duration delay, Runnable task) {
        synchronized (lock) {
            if (!closed) {
                timer.schedule(delay, task);
            }
        }
    }

    private static Duration jittered() {
        double factor = 1 + JITTER * (ThreadLocalRandom.current().nextDouble() * 2 - 1);
        return Duration.ofNanos((long) (PROBE_INTERVAL.toNanos() * factor));
    }

    private static String describe(IOException e) {
        String message = e.getMessage();
        return message == null ? e.getClass().getSimpleName() : message;
    }

    /** Ends probing; state stays as it is. */
    @Override
    public void close() {
        synchronized (lock) {
            closed = true;
        }
        listeners.clear();
    }
}
