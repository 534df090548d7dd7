package io.controllermanager.client.internal.connection;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.client.Registration;
import io.controllermanager.client.internal.access.CredentialException;
import io.controllermanager.client.internal.connection.Availability.State;
import io.controllermanager.client.internal.request.FailureMessage;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.Timer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows whether the API server can be reached and accepts our credentials. A request that fails below HTTP, with a server
 * error or with 401 raises the question; {@code GET /readyz} answers it, about once a second until the answer is 200. Then
 * those who wait for the API server are told, so that what failed during an outage is tried again at once and not when its
 * backoff ends.
 *
 * <p>An API server that comes up answers requests before it is ready, with 403, 500 or 503; only {@code /readyz} counts
 * here. Where this process may not ask for {@code /readyz} (401, 403 or 404), some such answers in a row count as ready; if
 * they are 401 and so are those to all requests, the API server refuses our credentials. What follows from what is in {@link
 * Availability}.
 *
 * <p>Safe for use by several threads. Listeners are called on the timer's thread and must not block.
 */
public final class ApiServerMonitor implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ApiServerMonitor.class);

    private static final Duration PROBE_INTERVAL = Duration.ofSeconds(1);
    private static final double JITTER = 0.2;

    /** Each 401 has credentials read again, which may mean to run a plugin. */
    private static final Duration INTERVAL_WHILE_REFUSED = Duration.ofSeconds(5);

    /**
     * A request that was under way when the API server became ready may fail after that; listeners are told again so
     * that it is not left to its backoff.
     */
    private static final List<Duration> CALLS =
            List.of(Duration.ZERO, Duration.ofSeconds(1), Duration.ofSeconds(3), Duration.ofSeconds(8));

    private final Supplier<String> server;
    private final Supplier<String> credentials;
    private final Probe probe;
    private final Clock clock;
    private final Timer timer;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private final StorageHistory history = new StorageHistory();
    private final Object lock = new Object();

    /** Written under the lock. */
    private volatile Availability known = Availability.UNQUESTIONED;

    @GuardedBy("lock")
    private Timer.@Nullable Cancellable nextProbe;

    @GuardedBy("lock")
    private long troubleNanos;

    @GuardedBy("lock")
    private long lastProbeNanos;

    /** Written under the lock. */
    private volatile boolean closed;

    /** Asks the API server whether it is ready. */
    @FunctionalInterface
    interface Probe {

        /** Sends the question and returns; one of these is called later, on any thread: with the HTTP status, or with why none came. */
        void ask(IntConsumer status, Consumer<IOException> failed);
    }

    ApiServerMonitor(Supplier<String> server, Supplier<String> credentials, Probe probe, Clock clock, Timer timer) {
        this.server = server;
        this.credentials = credentials;
        this.probe = probe;
        this.clock = clock;
        this.timer = timer;
        this.lastProbeNanos = clock.nanoTime() - PROBE_INTERVAL.toNanos();
    }

    /** Whether the API server could be reached when it was last needed. */
    public boolean reachable() {
        return known.state() != State.UNREACHABLE;
    }

    /** Knows whether the API server's storage was put back to an older state. */
    public StorageHistory history() {
        return history;
    }

    /**
     * Why this process can do nothing just now, in one sentence: the API server cannot be reached, is not ready, is
     * overloaded, or refuses our credentials; null if none is so.
     */
    public @Nullable String trouble() {
        Availability present = known;
        return switch (present.state()) {
            case UNREACHABLE -> "the API server " + present.error();
            case REFUSING -> "the API server refuses our credentials (401 Unauthorized): " + credentials.get();
            case REACHABLE, SUSPECT -> null;
        };
    }

    /**
     * Calls back when the API server is ready again after an outage, which a probe has seen, or accepts our credentials
     * again, and a few times more in the seconds after that, for stragglers. Requests that fail while the API server answers
     * probes call nobody back: what keeps failing is left to its own backoff.
     */
    public Registration onRecovery(Runnable listener) {
        // Equal only to itself, so that the same action registered twice is two registrations.
        Runnable registered = new Runnable() {
            @Override
            public void run() {
                listener.run();
            }
        };
        listeners.add(registered);
        return () -> listeners.remove(registered);
    }

    /**
     * Raises the question whether the API server can be reached, for whoever has a reason to doubt it, such as a stream
     * that broke off or a request that failed below HTTP. Nobody is told of a recovery if it can.
     */
    public void doubt() {
        history.doubt();
        apply(Availability::failed, false);
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
                    doubt();
                }
                throw e;
            }
            answered(response.code());
            return response;
        };
    }

    /**
     * Says how a request was answered. A 429 raises the question as a server error does: whether it concerns more than this
     * request, the probe tells. It says nothing of credentials, since a proxy may give it to anybody.
     */
    void answered(int code) {
        if (code >= 500 || code == 429) {
            apply(Availability::failed, false);
        } else if (code == 401) {
            apply(Availability::refused, false);
        } else if (known.state() != State.REACHABLE) {
            apply(Availability::accepted, false);
        }
    }

    private void sendProbe() {
        synchronized (lock) {
            if (closed) {
                return;
            }
            lastProbeNanos = clock.nanoTime();
        }
        probe.ask(code -> apply(before -> before.probed(code), true), e -> {
            String what = e instanceof CredentialException ? "cannot be asked: " : "cannot be reached: ";
            apply(before -> before.unanswered(what + FailureMessage.words(e)), true);
        });
    }

    private void apply(UnaryOperator<Availability> event, boolean ofProbe) {
        Availability before;
        Availability after;
        Duration trouble;
        Duration sinceProbe;
        synchronized (lock) {
            if (closed) {
                return;
            }
            before = known;
            after = event.apply(before);
            known = after;
            long now = clock.nanoTime();
            if (before.state() == State.REACHABLE && after.state() != State.REACHABLE) {
                troubleNanos = now;
            }
            trouble = Duration.ofNanos(now - troubleNanos);
            sinceProbe = Duration.ofNanos(now - lastProbeNanos);
        }
        if (after.state() != before.state()) {
            report(before.state(), after, trouble);
        }
        if (after.state() == State.REACHABLE) {
            return;
        }
        if (ofProbe) {
            probeAfter(jittered(after.state() == State.REFUSING ? INTERVAL_WHILE_REFUSED : PROBE_INTERVAL));
        } else if (before.state() == State.REACHABLE) {
            // At most one a second, however many requests fail while probes succeed.
            probeAfter(PROBE_INTERVAL.minus(sinceProbe));
        }
    }

    private void report(State before, Availability after, Duration trouble) {
        String name = server.get();
        switch (after.state()) {
            case UNREACHABLE ->
                log.atWarn()
                        .addKeyValue("apiServer", name)
                        .addKeyValue("cause", after.error())
                        .log("API server {} {}; retrying", name, after.error());
            case REFUSING ->
                log.atWarn()
                        .addKeyValue("apiServer", name)
                        .addKeyValue("credentials", credentials.get())
                        .log(
                                "API server {} refuses our credentials (401 Unauthorized): {}; retrying",
                                name,
                                credentials.get());
            case REACHABLE -> {
                if (before == State.SUSPECT) {
                    return;
                }
                log.atInfo()
                        .addKeyValue("apiServer", name)
                        .addKeyValue("outageSeconds", trouble.toSeconds())
                        .log(
                                before == State.REFUSING
                                        ? "API server {} accepts our credentials again after {} s"
                                        : "API server {} reachable again after {} s",
                                name,
                                trouble.toSeconds());
                for (Duration delay : CALLS) {
                    schedule(delay, this::tellListeners);
                }
            }
            case SUSPECT -> {}
        }
    }

    private void tellListeners() {
        if (closed || trouble() != null) {
            return;
        }
        for (Runnable listener : listeners) {
            try {
                listener.run();
            } catch (RuntimeException e) {
                log.error("API server {}: a listener for its return failed: {}", server.get(), FailureMessage.of(e), e);
            }
        }
    }

    /** In place of one that waits to be sent, lest there be two series of them. */
    private void probeAfter(Duration delay) {
        synchronized (lock) {
            if (nextProbe != null) {
                nextProbe.cancel();
            }
            nextProbe = schedule(delay, this::sendProbe);
        }
    }

    /** Under the lock, since the timer is closed right after this, and would throw on the thread of a late answer. */
    private Timer.@Nullable Cancellable schedule(Duration delay, Runnable task) {
        synchronized (lock) {
            return closed ? null : timer.schedule(delay, task);
        }
    }

    private static Duration jittered(Duration interval) {
        double factor = 1 + JITTER * (ThreadLocalRandom.current().nextDouble() * 2 - 1);
        return Duration.ofNanos((long) (interval.toNanos() * factor));
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
