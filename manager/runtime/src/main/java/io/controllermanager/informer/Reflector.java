package io.controllermanager.informer;

import io.controllermanager.client.ApiRequests;
import io.controllermanager.client.ApiServerMonitor;
import io.controllermanager.client.Registration;
import io.controllermanager.client.RequestFailedException;
import io.controllermanager.time.Clock;
import io.controllermanager.time.Timer;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.ApiException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a store as the API server's collection is: lists once, then watches for ever, each watch going on where the last
 * one ended. Only when the API server no longer knows that point (410) is the collection listed again, while the store
 * goes on serving what it has.
 *
 * <p>As client-go's {@code tools/cache/reflector.go}: the first list takes any state that the API server has at hand
 * ({@code resourceVersion=0}), a later one a state not older than what was seen, and one after a 410 the most recent
 * state; watches end after a random 5 to 10 minutes. Failures back off, and the wait is cut short when the API server is
 * known to be back. A reflector never gives up by itself.
 *
 * @param <T> the object's class
 */
final class Reflector<T extends KubernetesObject> {

    private static final Logger log = LoggerFactory.getLogger(Reflector.class);

    private static final int SHORTEST_WATCH_SECONDS = 300;

    /** A watch that ends sooner and says nothing counts as failed, lest a broken server be asked without a pause. */
    private static final Duration TOO_SHORT = Duration.ofSeconds(1);

    /** A type that is not served now is so as soon as its CRD is installed. */
    private static final Duration LONGEST_WAIT_FOR_TYPE = Duration.ofSeconds(3);

    /** A request without an answer for so long was sent to the API server's former life. */
    private static final Duration LONG_TO_OPEN = Duration.ofSeconds(2);

    private final ListWatch<T> source;
    private final Sink<T> sink;
    private final ApiServerMonitor monitor;
    private final Clock clock;
    private final Timer timer;
    private final Consumer<Throwable> onError;
    private final ReflectorBackoff backoff;
    private final Pause pause = new Pause();
    private final Thread thread;

    private final AtomicLong lists = new AtomicLong();
    private final AtomicLong watches = new AtomicLong();
    private volatile boolean stopped;
    private volatile boolean retryAtOnce;
    private volatile boolean tooQuiet;
    private volatile @Nullable Long openingNanos;
    private volatile boolean connected;
    private volatile boolean listed;
    private volatile String resourceVersion = "";
    private volatile @Nullable Long lastMessageNanos;
    private volatile @Nullable Failure failure;

    // Used by the reflector's thread only.
    private boolean mustList = true;
    private String listVersion = "0";
    private @Nullable String loggedFailure;

    /** Takes what the reflector brings, on the reflector's thread. */
    interface Sink<T> {

        /**
         * The whole collection is as given.
         *
         * @param version the collection's
         */
        void replace(List<T> objects, String version);

        /** An object is as given. */
        void put(T object);

        /** An object is gone. */
        void remove(T object);

        /** Nothing but what has been told has happened up to a version; also called after each put and remove. */
        void passed(String version);
    }

    /** What went wrong last. */
    record Failure(String message, Instant at) {}

    Reflector(
            String threadName,
            ListWatch<T> source,
            Sink<T> sink,
            ApiServerMonitor monitor,
            Clock clock,
            Timer timer,
            Consumer<Throwable> onError) {
        this.source = source;
        this.sink = sink;
        this.monitor = monitor;
        this.clock = clock;
        this.timer = timer;
        this.onError = onError;
        this.backoff = new ReflectorBackoff(clock);
        this.thread = new Thread(this::run, threadName);
        this.thread.setDaemon(true);
    }

    /** Starts the thread; once in a reflector's life. */
    void start() {
        thread.start();
    }

    /** Makes the thread end soon. */
    void stop() {
        stopped = true;
        source.cancel();
        pause.end();
        thread.interrupt();
    }

    boolean listed() {
        return listed;
    }

    boolean connected() {
        return connected;
    }

    String resourceVersion() {
        return resourceVersion;
    }

    long lists() {
        return lists.get();
    }

    long watches() {
        return watches.get();
    }

    @Nullable
    Duration sinceLastMessage() {
        Long at = lastMessageNanos;
        return at == null ? null : Duration.ofNanos(clock.nanoTime() - at);
    }

    @Nullable
    Failure failure() {
        return failure;
    }

    private void run() {
        Registration recovery = monitor.onRecovery(this::recovered);
        try {
            while (!stopped) {
                try {
                    if (mustList) {
                        list();
                    }
                    watch();
                } catch (ApiException | IOException | RuntimeException e) {
                    failed(e);
                } catch (Error e) {
                    // A reflector that ends unseen would leave a stale cache behind; running out of memory may pass.
                    failed(new IllegalStateException(e));
                }
            }
        } finally {
            recovery.close();
            connected = false;
        }
    }

    /** The API server is back: no more waiting, neither for a backoff to end nor for an answer from before. */
    private void recovered() {
        Long since = openingNanos;
        if (since != null && clock.nanoTime() - since > LONG_TO_OPEN.toNanos()) {
            retryAtOnce = true;
            source.cancel();
        }
        pause.end();
    }

    private void list() throws ApiException {
        lists.incrementAndGet();
        ListWatch.Listing<T> listing;
        try {
            listing = source.list(listVersion);
        } catch (ApiException e) {
            // The state asked for is gone, or the API server does not have it yet: then the most recent one.
            if (isExpired(e.getCode(), e.getMessage()) || isTooLarge(e)) {
                listVersion = "";
            }
            throw e;
        }
        if (stopped) {
            return;
        }
        heard();
        sink.replace(listing.items(), listing.resourceVersion());
        resourceVersion = listing.resourceVersion();
        listVersion = listing.resourceVersion();
        mustList = false;
        listed = true;
        succeeded();
    }

    private void watch() throws ApiException, IOException {
        if (stopped) {
            return;
        }
        watches.incrementAndGet();
        tooQuiet = false;
        int timeout = SHORTEST_WATCH_SECONDS + ThreadLocalRandom.current().nextInt(SHORTEST_WATCH_SECONDS);
        long opened = clock.nanoTime();
        long events = 0;
        try (WatchStream<T> stream = open(timeout);
                IdleGuard guard = new IdleGuard(stream)) {
            connected = true;
            heard();
            succeeded();
            WatchEvent<T> event = stream.next();
            while (event != null && !stopped) {
                heard();
                guard.heard();
                events++;
                handle(event);
                event = stream.next();
            }
        } catch (IOException e) {
            if (stopped) {
                return;
            }
            if (tooQuiet) {
                // Broken off here, which is no error; the probe tells whether there is more to it.
                monitor.doubt("watch " + source.target() + " is silent");
                return;
            }
            if (events == 0 && clock.nanoTime() - opened < TOO_SHORT.toNanos()) {
                throw e;
            }
            // A connection that worked has been cut: go on at once, and back off only if that fails.
            monitor.doubt(String.valueOf(e.getMessage()));
            note("watch " + source.target() + ": " + e.getMessage());
            log.atDebug().addKeyValue("resource", source.target()).log("A watch broke off: {}", e.getMessage());
            return;
        } finally {
            connected = false;
        }
        if (!stopped && events == 0 && clock.nanoTime() - opened < TOO_SHORT.toNanos()) {
            throw new IOException("the API server ended the watch at once");
        }
    }

    private WatchStream<T> open(int timeout) throws ApiException {
        openingNanos = clock.nanoTime();
        try {
            return source.watch(resourceVersion, timeout);
        } finally {
            openingNanos = null;
        }
    }

    private void handle(WatchEvent<T> event) throws ApiException {
        if (event instanceof WatchEvent.Changed<T> changed) {
            sink.put(changed.object());
            seen(changed.object().getMetadata().getResourceVersion());
        } else if (event instanceof WatchEvent.Removed<T> removed) {
            sink.remove(removed.object());
            seen(removed.object().getMetadata().getResourceVersion());
        } else if (event instanceof WatchEvent.Bookmark<T> bookmark) {
            seen(bookmark.resourceVersion());
        } else if (event instanceof WatchEvent.Failed<T> status) {
            throw ApiRequests.failure("watch " + source.target(), status.code(), status.message());
        }
    }

    private void seen(@Nullable String version) {
        if (version != null && !version.isEmpty()) {
            resourceVersion = version;
            listVersion = version;
            sink.passed(version);
        }
    }

    private void heard() {
        lastMessageNanos = clock.nanoTime();
    }

    private void succeeded() {
        if (loggedFailure != null) {
            log.atInfo().addKeyValue("resource", source.target()).log("Listing and watching again");
            loggedFailure = null;
        }
    }

    private void failed(Exception e) {
        if (stopped) {
            return;
        }
        int code = e instanceof ApiException api ? api.getCode() : 0;
        String message = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
        if (isExpired(code, message)) {
            expired(message);
            return;
        }
        if (code == 0) {
            monitor.doubt(message);
        }
        note(message);
        report(e, code, message);
        Duration delay = backoff.afterFailure();
        if (code == 404 && delay.compareTo(LONGEST_WAIT_FOR_TYPE) > 0) {
            delay = LONGEST_WAIT_FOR_TYPE;
        }
        if (retryAtOnce || pause.sleep(delay)) {
            retryAtOnce = false;
            backoff.reset();
        }
    }

    /** The point where the watch was to go on is forgotten: list again, at once the first time. */
    private void expired(String message) {
        log.atDebug().addKeyValue("resource", source.target()).log("Listing again: {}", message);
        note(message);
        boolean again = mustList;
        mustList = true;
        listVersion = "";
        if (again) {
            pause.sleep(backoff.afterFailure());
        }
    }

    private void note(String message) {
        failure = new Failure(message, clock.now());
    }

    /** Said once per kind of failure; an API server that is away is the monitor's to report. */
    private void report(Exception e, int code, String message) {
        try {
            onError.accept(e);
        } catch (RuntimeException broken) {
            log.error("An informer's exception handler failed", broken);
        }
        String kind = e.getClass().getName() + code;
        if (kind.equals(loggedFailure) || (code == 0 && !monitor.reachable())) {
            log.atDebug().addKeyValue("resource", source.target()).log("Still failing: {}", message);
            return;
        }
        loggedFailure = kind;
        switch (code) {
            case 401, 403 ->
                log.atWarn()
                        .addKeyValue("resource", source.target())
                        .log("Not allowed to list and watch {}: {}", source.target(), message);
            case 404 ->
                log.atWarn()
                        .addKeyValue("resource", source.target())
                        .log("The API server does not serve {}; waiting for it", source.target());
            case 0 -> log.atDebug().addKeyValue("resource", source.target()).log("Failing: {}", message);
            default -> log.atWarn().addKeyValue("resource", source.target()).log("Failing: {}", message);
        }
    }

    private static boolean isExpired(int code, @Nullable String message) {
        return code == 410
                || (message != null && message.contains("too old resource version"))
                || (message != null && message.contains("required revision has been compacted"));
    }

    /** The API server is behind what has been seen: another replica of it, or an etcd restored from a backup. */
    private static boolean isTooLarge(ApiException e) {
        return (e.getCode() == 504 || e.getCode() == 500)
                && e instanceof RequestFailedException
                && String.valueOf(e.getMessage()).contains("Too large resource version");
    }

    /** Closes a stream that has said nothing for too long. */
    private final class IdleGuard implements AutoCloseable {

        private final Duration limit;
        private volatile long heardNanos;
        private volatile boolean closed;
        private volatile Timer.Cancellable next;

        IdleGuard(WatchStream<T> stream) {
            this.limit = stream.idleLimit();
            this.heardNanos = clock.nanoTime();
            this.next = timer.schedule(limit, this::check);
        }

        void heard() {
            heardNanos = clock.nanoTime();
        }

        private void check() {
            if (closed) {
                return;
            }
            Duration left = limit.minusNanos(clock.nanoTime() - heardNanos);
            if (left.isNegative() || left.isZero()) {
                log.atDebug()
                        .addKeyValue("resource", source.target())
                        .log("A watch said nothing for {} s and is opened anew", limit.toSeconds());
                tooQuiet = true;
                source.cancel();
            } else {
                next = timer.schedule(left, this::check);
            }
        }

        @Override
        public void close() {
            closed = true;
            next.cancel();
        }
    }

    /** A wait that others can end. */
    private final class Pause {

        private final Object lock = new Object();
        private boolean waiting;

        /** Waits; says whether the wait was ended early. */
        boolean sleep(Duration delay) {
            boolean[] expired = new boolean[1];
            Timer.Cancellable alarm;
            synchronized (lock) {
                waiting = true;
            }
            alarm = timer.schedule(delay, () -> {
                synchronized (lock) {
                    expired[0] = true;
                    waiting = false;
                    lock.notifyAll();
                }
            });
            try {
                synchronized (lock) {
                    while (waiting && !stopped) {
                        lock.wait();
                    }
                    return !expired[0];
                }
            } catch (InterruptedException e) {
                // Only stop() interrupts this thread, and the loop sees that it did.
                return true;
            } finally {
                alarm.cancel();
            }
        }

        void end() {
            synchronized (lock) {
                waiting = false;
                lock.notifyAll();
            }
        }
    }
}
