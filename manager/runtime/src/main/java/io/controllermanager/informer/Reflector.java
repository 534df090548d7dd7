package io.controllermanager.informer;

import io.controllermanager.client.ApiDiscovery;
import io.controllermanager.client.ApiRequests;
import io.controllermanager.client.ApiServerMonitor;
import io.controllermanager.client.FailureMessage;
import io.controllermanager.client.Registration;
import io.controllermanager.client.RequestFailedException;
import io.controllermanager.client.RetryAfter;
import io.controllermanager.time.Clock;
import io.controllermanager.time.Timer;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.ApiException;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a store as the API server's collection is: reads it once, then watches for ever, each watch going on where the
 * last one ended. Only when the API server no longer knows that point (410) is the collection read again, while the store
 * goes on serving what it has.
 *
 * <p>The collection comes as a list at first (it is faster), and as a WatchList when it has to be read again: one stream
 * that begins with every object and goes on with changes, unless the API server has no such thing. As in client-go's {@code tools/cache/reflector.go}: the first list takes any
 * state that the API server has at hand ({@code resourceVersion=0}), a WatchList or a list after a 410 takes the most
 * recent state; watches end after a random 5 to 10 minutes. Failures back off, and the wait is cut short when the API
 * server is known to be back. A reflector never gives up by itself.
 *
 * @param <T> the object's class
 */
final class Reflector<T extends KubernetesObject> {

    private static final Logger log = LoggerFactory.getLogger(Reflector.class);

    private static final int SHORTEST_WATCH_SECONDS = 300;

    /**
     * How long a quiet watch lasts that may not be silent for so long as a bookmark takes. The API server sends one shortly
     * before such a watch's end, so that the next one does not start from an ever older version.
     */
    private static final int QUIET_WATCH_SECONDS = 20;

    /** A watch that ends sooner and says nothing counts as failed, lest a broken server be asked without a pause. */
    static final Duration TOO_SHORT = Duration.ofSeconds(1);

    /** A request without an answer for so long was sent to the API server's former life. */
    private static final Duration LONG_TO_OPEN = Duration.ofSeconds(2);

    /**
     * How long a watch may take to open before it is tried anew: the API server answers at once, so that a longer silence
     * comes of a connection that leads nowhere. Doubled each time it was of no avail.
     */
    private static final Duration SHORTEST_PATIENCE = Duration.ofSeconds(5);

    private static final Duration LONGEST_PATIENCE = Duration.ofSeconds(60);

    /** The objects of a WatchList come one upon the other; who stops in their midst does not know what they are for. */
    private static final Duration INITIAL_STATE_IDLE_LIMIT = Duration.ofSeconds(15);

    private final ListWatch<T> source;
    private final Sink<T> sink;
    private final ApiServerMonitor monitor;
    private final Clock clock;
    private final Timer timer;
    private final Consumer<Throwable> onError;
    private final ReflectorBackoff backoff;
    private final ReflectorPause pause;
    private final Thread thread;

    private final ReflectorMetrics metrics;
    private final SampledSize size = new SampledSize();
    private volatile boolean stopped;
    private volatile boolean retryAtOnce;
    private volatile @Nullable Long openingNanos;
    private volatile boolean connected;
    private volatile boolean listed;
    private volatile String resourceVersion = "";
    private volatile @Nullable Long lastMessageNanos;
    private volatile @Nullable Long versionNanos;
    private volatile long disconnectedNanos;
    private volatile @Nullable Permission missing;
    private volatile @Nullable Failure failure;

    // Used by the reflector's thread only.
    private boolean mustList = true;
    private boolean refusesWatchList;
    private String listVersion = "0";
    private boolean quiet;
    private Duration patience = SHORTEST_PATIENCE;
    private Duration askedToWait = Duration.ZERO;
    private @Nullable String loggedFailure;
    private String asking = "list";

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
            @Nullable MeterRegistry registry,
            Consumer<Throwable> onError) {
        this.source = source;
        this.sink = sink;
        this.monitor = monitor;
        this.clock = clock;
        this.timer = timer;
        this.onError = onError;
        this.pause = new ReflectorPause(timer);
        this.backoff = new ReflectorBackoff(clock);
        this.disconnectedNanos = clock.nanoTime();
        this.metrics = new ReflectorMetrics(registry, source.target(), this);
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
        pause.close();
        thread.interrupt();
        metrics.close();
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

    /** Time since the newest resourceVersion was seen, null before there is one. */
    @Nullable
    Duration resourceVersionAge() {
        return since(versionNanos);
    }

    @Nullable
    Duration sinceLastMessage() {
        return since(lastMessageNanos);
    }

    private @Nullable Duration since(@Nullable Long nanos) {
        return nanos == null ? null : Duration.ofNanos(clock.nanoTime() - nanos);
    }

    /** About how many bytes of JSON an object takes. */
    SampledSize objectSize() {
        return size;
    }

    /** How all this is, for operators. */
    ReflectorStatus status() {
        Failure last = failure;
        Permission lacking = missing;
        boolean open = connected;
        return new ReflectorStatus(
                source.permission("watch").namespace(),
                open,
                open ? null : since(disconnectedNanos),
                resourceVersion,
                resourceVersionAge(),
                sinceLastMessage(),
                metrics.lists(),
                metrics.lastListDuration(),
                metrics.lastListItems(),
                metrics.watches(),
                metrics.endsByReason(),
                metrics.eventsByType(),
                metrics.undecodableTotal(),
                lacking == null ? null : lacking.toString(),
                last == null ? null : last.message(),
                last == null ? null : last.at());
    }

    private void run() {
        Registration recovery = monitor.onRecovery(this::recovered);
        try {
            while (!stopped) {
                try {
                    Session open = mustList ? fill() : null;
                    if (!stopped) {
                        watch(open == null ? open(resourceVersion, false) : open);
                    }
                } catch (Exception e) {
                    // Of any class: OkHttp's Kotlin and others' transforms throw checked ones that they do not declare.
                    failed(e);
                } catch (Error e) {
                    // A reflector that ends unseen would leave a stale cache behind; running out of memory may pass.
                    failed(new IllegalStateException(e));
                }
            }
        } finally {
            recovery.close();
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

    /** Reads the whole collection; gives the stream that brought it, null if a list did. */
    private @Nullable Session fill() throws ApiException {
        if (source.triesWatchList(!listed) && !refusesWatchList) {
            try {
                return watchList();
            } catch (ApiException e) {
                if (stopped || !isBetterListed(e)) {
                    throw e;
                }
                refused(e.getCode() == 400 || e.getCode() == 422, String.valueOf(e.getMessage()));
            } catch (NoInitialStateException e) {
                refused(e.forGood, String.valueOf(e.getMessage()));
            }
        }
        if (!stopped) {
            list();
        }
        return null;
    }

    /**
     * Whether a failed WatchList is followed by a list at once. As in client-go, unless the API server could not be asked
     * or says when to ask again.
     */
    private static boolean isBetterListed(ApiException e) {
        int code = e.getCode();
        return code != 0 && code != 401 && code != 429 && !isExpired(code, e.getMessage()) && !isTooLarge(e);
    }

    private void refused(boolean forGood, String message) {
        refusesWatchList = forGood;
        log.atDebug()
                .addKeyValue("resource", source.target())
                .addKeyValue("forGood", forGood)
                .log("The API server sends no initial state in a watch; it is listed: {}", message);
    }

    private Session watchList() throws ApiException, NoInitialStateException {
        InitialState<T> state = new InitialState<>();
        Session session = null;
        try {
            session = open(listVersion.equals("0") ? "" : listVersion, true);
            session.guard.limit(INITIAL_STATE_IDLE_LIMIT);
            WatchEvent<T> event = session.next();
            while (event != null && !stopped) {
                if (event instanceof WatchEvent.Changed<T> changed) {
                    state.put(changed.object(), changed.added());
                } else if (event instanceof WatchEvent.Removed<T> removed) {
                    state.remove(removed.object());
                } else if (event instanceof WatchEvent.Failed<T> status) {
                    throw failure(status);
                } else if (event instanceof WatchEvent.Bookmark<T> bookmark) {
                    if (!bookmark.initialStateEnds()) {
                        throw new NoInitialStateException("a bookmark came before the end of the initial state", true);
                    }
                    metrics.listBegins();
                    metrics.listed(Duration.ofNanos(clock.nanoTime() - session.begun), state.size(), 0);
                    filled(state.objects(), bookmark.resourceVersion());
                    Session whole = session;
                    whole.guard.limit(whole.stream.idleLimit());
                    session = null;
                    return whole;
                }
                event = session.next();
            }
            throw new NoInitialStateException("the stream ended before the initial state did", false);
        } catch (IOException e) {
            if (session != null && session.guard.silent()) {
                throw new NoInitialStateException("nothing said where the initial state ends", false);
            }
            throw ApiRequests.failure("watch " + source.target(), e);
        } catch (ApiException e) {
            forgetVersionIfUnknown(e);
            throw e;
        } finally {
            if (session != null) {
                session.close();
            }
        }
    }

    private void list() throws ApiException {
        metrics.listBegins();
        asking = "list";
        long begun = clock.nanoTime();
        ListWatch.Listing<T> listing;
        try {
            listing = source.list(listVersion);
        } catch (ApiException e) {
            forgetVersionIfUnknown(e);
            throw e;
        }
        if (stopped) {
            return;
        }
        heard();
        metrics.listed(
                Duration.ofNanos(clock.nanoTime() - begun), listing.items().size(), listing.unreadable());
        filled(listing.items(), listing.resourceVersion());
    }

    /** The state asked for is gone, or the API server does not have it yet: then the most recent one. */
    private void forgetVersionIfUnknown(ApiException e) {
        if (isExpired(e.getCode(), e.getMessage()) || isTooLarge(e)) {
            listVersion = "";
        }
    }

    private void filled(List<T> objects, String version) {
        objects.forEach(size::add);
        sink.replace(objects, version);
        seen(version);
        mustList = false;
        listed = true;
        granted("list");
        succeeded();
    }

    private void watch(Session session) throws ApiException, IOException {
        try (session) {
            WatchEvent<T> event = session.next();
            while (event != null && !stopped) {
                handle(event);
                event = session.next();
            }
        } catch (IOException e) {
            brokenOff(session, e);
            return;
        }
        // Beside the bookmark at its end.
        quiet &= session.events <= 1;
        if (!stopped && session.saidNothing()) {
            throw new IOException("the API server ended the watch at once");
        }
    }

    private void brokenOff(Session session, IOException e) throws IOException {
        if (stopped) {
            return;
        }
        if (session.guard.silent()) {
            // Broken off here, which is no error; the probe tells whether there is more to it.
            log.atDebug()
                    .addKeyValue("resource", source.target())
                    .log(
                            "A watch said nothing for {} s and is opened anew",
                            session.stream.idleLimit().toSeconds());
            quiet = session.stream.idleLimit().compareTo(Duration.ofSeconds(QUIET_WATCH_SECONDS * 2)) < 0;
            monitor.doubt("watch " + source.target() + " is silent");
            return;
        }
        if (session.saidNothing()) {
            throw e;
        }
        // A connection that worked has been cut: go on at once, and back off only if that fails.
        monitor.doubt(String.valueOf(e.getMessage()));
        note("watch " + source.target() + ": " + e.getMessage());
        log.atDebug().addKeyValue("resource", source.target()).log("A watch broke off: {}", e.getMessage());
    }

    private Session open(String version, boolean initialState) throws ApiException {
        int timeout = quiet && !initialState
                ? QUIET_WATCH_SECONDS
                : SHORTEST_WATCH_SECONDS + ThreadLocalRandom.current().nextInt(SHORTEST_WATCH_SECONDS);
        long begun = clock.nanoTime();
        boolean[] tooSlow = new boolean[1];
        Timer.Cancellable alarm = timer.schedule(patience, () -> {
            tooSlow[0] = true;
            source.cancel();
        });
        openingNanos = begun;
        asking = "watch";
        metrics.watchBegins();
        try {
            WatchStream<T> stream = initialState ? source.watchList(version, timeout) : source.watch(version, timeout);
            patience = SHORTEST_PATIENCE;
            return new Session(stream, begun);
        } catch (ApiException e) {
            metrics.watchEnded(
                    stopped ? WatchEnd.STOPPED : tooSlow[0] ? WatchEnd.SILENT : end(e),
                    Duration.ofNanos(clock.nanoTime() - begun),
                    0);
            if (tooSlow[0] && e.getCode() == 0) {
                if (patience.equals(SHORTEST_PATIENCE)) {
                    retryAtOnce = true;
                }
                Duration doubled = patience.multipliedBy(2);
                patience = doubled.compareTo(LONGEST_PATIENCE) > 0 ? LONGEST_PATIENCE : doubled;
            }
            throw e;
        } finally {
            alarm.cancel();
            openingNanos = null;
        }
    }

    private void handle(WatchEvent<T> event) throws ApiException {
        if (event instanceof WatchEvent.Changed<T> changed) {
            size.add(changed.object());
            sink.put(changed.object());
            seen(changed.object().getMetadata().getResourceVersion());
        } else if (event instanceof WatchEvent.Removed<T> removed) {
            sink.remove(removed.object());
            seen(removed.object().getMetadata().getResourceVersion());
        } else if (event instanceof WatchEvent.Bookmark<T> bookmark) {
            seen(bookmark.resourceVersion());
        } else if (event instanceof WatchEvent.Unreadable<T> unreadable) {
            seen(unreadable.resourceVersion());
        } else if (event instanceof WatchEvent.Failed<T> status) {
            throw failure(status);
        }
    }

    private static WatchEnd end(ApiException refusal) {
        if (refusal.getCode() == 0) {
            return WatchEnd.CUT;
        }
        return isExpired(refusal.getCode(), refusal.getMessage()) ? WatchEnd.EXPIRED : WatchEnd.FAILED;
    }

    private ApiException failure(WatchEvent.Failed<T> status) {
        Integer seconds = status.retryAfterSeconds();
        askedToWait = seconds == null ? Duration.ZERO : Duration.ofSeconds(seconds);
        return ApiRequests.failure("watch " + source.target(), status.code(), status.message());
    }

    private void seen(@Nullable String version) {
        if (version != null && !version.isEmpty()) {
            resourceVersion = version;
            listVersion = version;
            versionNanos = clock.nanoTime();
            sink.passed(version);
        }
    }

    private void heard() {
        lastMessageNanos = clock.nanoTime();
    }

    private void succeeded() {
        if (loggedFailure != null) {
            log.atInfo()
                    .addKeyValue("resource", source.target())
                    .log("Informer of {}: lists and watches again", source.target());
            loggedFailure = null;
        }
    }

    private void granted(String verb) {
        Permission lacking = missing;
        if (lacking != null && lacking.verb().equals(verb)) {
            missing = null;
            metrics.missing(null);
        }
    }

    private void failed(Exception e) {
        if (stopped) {
            return;
        }
        int code = e instanceof ApiException api ? api.getCode() : 0;
        Duration asked = askedToWait.isZero() && e instanceof ApiException api ? RetryAfter.of(api) : askedToWait;
        askedToWait = Duration.ZERO;
        String message = FailureMessage.words(e);
        if (isExpired(code, e.getMessage())) {
            expired(message);
            return;
        }
        if (code == 0) {
            monitor.doubt(message);
        }
        if (code == 403) {
            // Set first, so that whoever sees the failure also sees the missing permission.
            missing = source.permission(asking);
        }
        note(message);
        report(e, code, message);
        if (code == 404) {
            awaitType();
        } else if (retryAtOnce || pause.sleep(backoff.afterFailure(code, asked))) {
            retryAtOnce = false;
            backoff.reset();
        }
    }

    /**
     * The type is not served: its CRD is missing, or has this version switched off. Discovery is asked for it and not the
     * list, since one answer serves all informers of a group and version. This does not back off, however long it takes: a
     * person waits for what follows.
     */
    private void awaitType() {
        backoff.reset();
        do {
            pause.sleep(ApiDiscovery.WAITING_INTERVAL);
        } while (!stopped && source.isKnownMissing());
    }

    /** The point where the watch was to go on is forgotten: list again, at once the first time. */
    private void expired(String message) {
        log.atDebug().addKeyValue("resource", source.target()).log("Listing again: {}", message);
        note(message);
        boolean again = mustList;
        mustList = true;
        listVersion = "";
        if (again) {
            pause.sleep(backoff.afterFailure(410, Duration.ZERO));
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
            log.error(
                    "Informer of {}: its exception handler failed: {}",
                    source.target(),
                    FailureMessage.of(broken),
                    broken);
        }
        String kind = e.getClass().getName() + code + (code == 403 ? asking : "");
        if (kind.equals(loggedFailure) || (code == 0 && !monitor.reachable())) {
            log.atDebug().addKeyValue("resource", source.target()).log("Still failing: {}", message);
            return;
        }
        loggedFailure = kind;
        String line = FailureMessage.of(e);
        switch (code) {
            case 403 -> {
                Permission permission = source.permission(asking);
                metrics.missing(permission);
                log.atWarn()
                        .addKeyValue("verb", permission.verb())
                        .addKeyValue("resource", permission.resource())
                        .addKeyValue("namespace", permission.namespace())
                        .log("Informer of {}: missing permission to {}: {}", source.target(), permission, line);
            }
            case 401 ->
                log.atWarn()
                        .addKeyValue("resource", source.target())
                        .log(
                                "Informer of {}: the API server does not accept the credentials: {}",
                                source.target(),
                                line);
            case 404 ->
                log.atWarn()
                        .addKeyValue("resource", source.target())
                        .log(
                                "Informer of {}: waits, since the API server does not serve the type; is its CRD installed?",
                                source.target());
            case 0 -> log.atDebug().addKeyValue("resource", source.target()).log("Failing: {}", message);
            default ->
                log.atWarn()
                        .addKeyValue("resource", source.target())
                        .log("Informer of {}: cannot {}, and tries again: {}", source.target(), asking, line);
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

    /** A watch from its opening to its end. */
    private final class Session implements AutoCloseable {

        private final WatchStream<T> stream;
        private final IdleGuard guard;
        private final long begun;
        private long events;
        private WatchEnd end = WatchEnd.CUT;

        Session(WatchStream<T> stream, long begun) {
            this.stream = stream;
            this.guard = new IdleGuard(stream.idleLimit(), clock, timer, source::cancel);
            this.begun = begun;
            connected = true;
            Reflector.this.heard();
            granted("watch");
            succeeded();
        }

        @Nullable
        WatchEvent<T> next() throws IOException {
            try {
                WatchEvent<T> event = stream.next();
                if (event == null) {
                    end = WatchEnd.REGULAR;
                    return null;
                }
                Reflector.this.heard();
                guard.heard();
                events++;
                metrics.event(event);
                if (event instanceof WatchEvent.Failed<T> failed) {
                    end = isExpired(failed.code(), failed.message()) ? WatchEnd.EXPIRED : WatchEnd.FAILED;
                }
                return event;
            } catch (GarbledStreamException e) {
                metrics.undecodable();
                end = WatchEnd.GARBLED;
                throw e;
            }
        }

        boolean saidNothing() {
            return events == 0 && clock.nanoTime() - begun < TOO_SHORT.toNanos();
        }

        @Override
        public void close() {
            // In this order, since whoever sees that it is not connected asks since when.
            disconnectedNanos = clock.nanoTime();
            connected = false;
            guard.close();
            stream.close();
            metrics.watchEnded(
                    stopped ? WatchEnd.STOPPED : guard.silent() ? WatchEnd.SILENT : end,
                    Duration.ofNanos(clock.nanoTime() - begun),
                    events);
        }
    }

    /** The API server has opened a stream that is to begin with all objects, and does not keep to that. */
    private static final class NoInitialStateException extends Exception {
        private static final long serialVersionUID = 1L;

        private final boolean forGood;

        NoInitialStateException(String message, boolean forGood) {
            super(message);
            this.forGood = forGood;
        }
    }
}
