package io.controllermanager.informer.internal.reflector;

import io.controllermanager.client.ApiDiscovery;
import io.controllermanager.client.Registration;
import io.controllermanager.client.internal.connection.ApiServerMonitor;
import io.controllermanager.client.internal.connection.RetryAfter;
import io.controllermanager.client.internal.connection.StorageHistory;
import io.controllermanager.client.internal.request.ErrorKind;
import io.controllermanager.client.internal.request.FailureMessage;
import io.controllermanager.client.internal.request.Obstacle;
import io.controllermanager.client.internal.request.ResourceVersions;
import io.controllermanager.informer.internal.store.Door;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.Timer;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.ApiException;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a store as the API server's collection is, as client-go's {@code tools/cache/reflector.go}: reads it once, then
 * watches for ever, each watch going on where the last one ended. Only when the API server no longer knows that point (410)
 * is the collection read again, while the store goes on serving what it has.
 *
 * <p>{@link InitialList} reads the collection, {@link Watcher} opens watches, and {@link ErrorKind} says what follows an
 * error. Failures back off, and the wait is cut short when the API server is known to be back. A reflector never gives up by
 * itself.
 *
 * @param <T> the object's class
 */
public final class Reflector<T extends KubernetesObject> implements StorageHistory.Mirror {

    private final ListWatch<T> source;
    private final Door door;
    private final Sink<T> sink;
    private final ApiServerMonitor monitor;
    private final ReflectorState state;
    private final ReflectorMetrics metrics;
    private final ReflectorErrors errors;
    private final ReflectorPause pause;
    private final Watcher<T> watcher;
    private final InitialList<T> lists;
    private final SampledSize size = new SampledSize();
    private final Thread thread;
    private final AtomicBoolean restored = new AtomicBoolean();

    /** Whether the collection is to be read. Used by the reflector's thread only. */
    private boolean mustList = true;

    /** Takes what the reflector brings, behind the informer's door; on the reflector's thread, unless said. */
    public interface Sink<T> {

        /** Whether anything is taken yet: a reflector that has been stopped may have one more thing to say. */
        boolean isOpen();

        /**
         * The collection is about to be read.
         *
         * @return which of its objects are wanted; asked of each as it is read
         */
        default Predicate<T> listing() {
            return object -> true;
        }

        /**
         * The whole collection is as given.
         *
         * @param objects by key
         * @param version the collection's
         */
        void replace(Map<String, T> objects, String version);

        /** An object is as given, and nothing but what has been told has happened up to its version. */
        default void put(T object) {}

        /** An object is gone, and nothing but what has been told has happened up to its version. */
        default void remove(T object) {}

        /** Nothing but what has been told has happened up to a version. */
        default void passed(String version) {}

        /** What has been told is of another history than what is told next, the whole collection. Called by any thread. */
        default void restored() {}

        /** The newest version of what was written and has not been told yet, negative if there is none. By any thread. */
        default long written() {
            return -1;
        }
    }

    public Reflector(
            String threadName,
            ListWatch<T> source,
            Door door,
            Sink<T> sink,
            ApiServerMonitor monitor,
            Clock clock,
            Timer timer,
            MeterRegistry registry,
            Consumer<Throwable> onError) {
        this.source = source;
        this.door = door;
        this.sink = sink;
        this.monitor = monitor;
        this.state = new ReflectorState(clock);
        this.metrics = new ReflectorMetrics(registry, source.target(), state);
        this.errors = new ReflectorErrors(source, monitor, clock, metrics, onError);
        this.pause = new ReflectorPause(clock, timer);
        Watcher.Parts<T> parts = new Watcher.Parts<>(source, clock, timer, state, metrics, errors);
        this.watcher = new Watcher<>(parts);
        this.lists = new InitialList<>(parts, watcher);
        this.thread = new Thread(this::run, threadName);
        this.thread.setDaemon(true);
    }

    /** Starts the thread, which reads the collection as it was at a version or later; empty for any. Once in its life. */
    public void start(String version) {
        if (!version.isEmpty()) {
            state.seen(version);
        }
        thread.start();
    }

    /** Makes the thread end soon; may be called by it. */
    public void stop() {
        state.stop();
        source.cancel();
        pause.close();
        if (thread != Thread.currentThread()) {
            thread.interrupt();
        }
        metrics.close();
    }

    /** The newest version that was seen, empty before there is one. */
    public String resourceVersion() {
        return state.resourceVersion();
    }

    /** About how many bytes of JSON an object takes. */
    public SampledSize objectSize() {
        return size;
    }

    /** What is in the way at this moment, null if nothing. */
    @Nullable
    public Obstacle obstacle() {
        return errors.obstacle();
    }

    /** How all this is, for operators. */
    public ReflectorStatus status() {
        return ReflectorStatus.of(source, state, metrics, errors);
    }

    private void run() {
        Registration recovery = monitor.onRecovery(this::recovered);
        Registration mirror = monitor.history().add(this);
        try {
            while (!state.isStopped()) {
                try {
                    listAndWatch();
                } catch (Throwable e) {
                    // A reflector that ends unseen would leave a stale cache behind; running out of memory may pass.
                    pause.sleep(pause.afterFailure(0, Duration.ZERO));
                }
            }
        } finally {
            recovery.close();
            mirror.close();
        }
    }

    private void listAndWatch() {
        try {
            if (!mustList && !restored.get()) {
                monitor.history().confirm(this);
            }
            if (restored.get()) {
                enter(sink::restored);
                state.seen("");
                state.forgetVersion();
                mustList = true;
                // Last: until then the version is of the other history.
                restored.set(false);
            }
            Watcher<T>.Session open = mustList ? list() : null;
            if (open != null) {
                watch(open);
            } else if (!state.isStopped()) {
                // Of a collection without versions only a list tells what has gone between two watches.
                mustList = !state.isVersioned();
                watch(watcher.open(state.resourceVersion(), false));
            }
        } catch (Exception e) {
            // Of any class: OkHttp's Kotlin throws checked ones that it does not declare.
            failed(e);
        } catch (Error e) {
            failed(new IllegalStateException(e));
        }
    }

    /** The API server is back: no more waiting, neither for a backoff to end nor for a watch to open that was asked for before. */
    private void recovered() {
        watcher.cancelStale();
        pause.end();
    }

    @Override
    public String type() {
        return source.permission("list").resource();
    }

    @Override
    public long newest() {
        return restored.get()
                ? -1
                : Math.max(ResourceVersions.number(state.resourceVersion()), door.ask(sink::written));
    }

    @Override
    public long present() throws ApiException {
        return source.presentVersion();
    }

    @Override
    public void restored() {
        enter(sink::restored);
        restored.set(true);
        source.cancel();
        pause.end();
    }

    private void enter(Runnable news) {
        door.enter(() -> {
            if (sink.isOpen()) {
                news.run();
            }
        });
    }

    /** Reads and stores the whole collection; gives the watch that brought it, null if a list did. */
    private Watcher<T>.@Nullable Session list() throws ApiException {
        InitialList.Result<T> all = lists.read(door.ask(sink::listing));
        if (all == null) {
            return null;
        }
        try {
            if (!state.isStopped()) {
                store(all.objects(), all.version());
            }
            return all.session();
        } catch (Throwable e) {
            if (all.session() != null) {
                all.session().close();
            }
            throw e;
        }
    }

    private void store(Map<String, T> objects, String version) {
        long at = ResourceVersions.number(version);
        if (at >= 0 && at < ResourceVersions.number(state.resourceVersion())) {
            // The most recent state was asked for, as always once there is a version.
            monitor.history().found(type(), newest(), at);
            restored.set(false);
        }
        objects.values().forEach(size::add);
        enter(() -> sink.replace(objects, version));
        state.seen(version);
        mustList = false;
        state.listed();
        errors.answered("list");
    }

    private void watch(Watcher<T>.Session session) throws ApiException, IOException {
        try (session) {
            if (restored.get()) {
                // Told after the last look at it, and too early for the watch to be cancelled.
                return;
            }
            // A watch that begins without a version brings all objects first, in any order.
            boolean ordered = state.isVersioned();
            WatchEvent<T> event = session.next();
            while (event != null && !state.isStopped()) {
                ordered |= !(event instanceof WatchEvent.Changed<T> changed && changed.added());
                String version = handle(event);
                if (ordered && version != null && !version.isEmpty()) {
                    state.seen(version);
                }
                event = session.next();
            }
        } catch (IOException e) {
            brokenOff(session, e);
            return;
        }
        if (!state.isStopped() && session.saidNothing()) {
            throw new IOException("the API server ended the watch at once");
        }
        if (!state.isStopped() && session.endedEarly()) {
            monitor.history().doubt();
        }
    }

    /** Gives the event's version, null if it has none. */
    private @Nullable String handle(WatchEvent<T> event) {
        if (event instanceof WatchEvent.Changed<T> changed) {
            size.add(changed.object());
            enter(() -> sink.put(changed.object()));
            return changed.object().getMetadata().getResourceVersion();
        }
        if (event instanceof WatchEvent.Removed<T> removed) {
            enter(() -> sink.remove(removed.object()));
            return removed.object().getMetadata().getResourceVersion();
        }
        String version = event instanceof WatchEvent.Bookmark<T> bookmark
                ? bookmark.resourceVersion()
                : event instanceof WatchEvent.Unreadable<T> unreadable ? unreadable.resourceVersion() : null;
        if (version != null) {
            enter(() -> sink.passed(version));
        }
        return version;
    }

    private void brokenOff(Watcher<T>.Session session, IOException e) throws IOException {
        if (state.isStopped() || restored.get()) {
            return;
        }
        if (session.isSilent()) {
            // Broken off here, which is no error; the probe tells whether there is more to it.
            monitor.doubt();
        } else if (session.saidNothing()) {
            throw e;
        } else {
            // A connection that worked has been cut: go on at once, and back off only if that fails.
            monitor.doubt();
            errors.note("watch " + source.target() + ": " + e.getMessage());
        }
    }

    private void failed(Exception e) {
        if (state.isStopped() || restored.get()) {
            return;
        }
        ErrorKind kind = ErrorKind.of(e);
        int code = ErrorKind.code(e);
        if (code == 0 || code == 410 || code >= 500) {
            // A proxy may stand between, so that no connection fails where the API server starts anew.
            monitor.history().doubt();
        }
        ErrorKind.Reaction reaction = kind.reaction(mustList, watcher.takeStale());
        if (kind == ErrorKind.NO_ANSWER) {
            monitor.doubt();
        }
        if (kind == ErrorKind.EXPIRED && !mustList) {
            errors.note(FailureMessage.words(e));
        } else {
            errors.report(e, kind);
        }
        // After an error of the server itself the watch goes on, since a list costs more.
        mustList |= kind == ErrorKind.EXPIRED || (kind.isBetterListed() && kind != ErrorKind.OTHER);
        if (kind.forgetsVersion()) {
            state.forgetVersion();
        }
        switch (reaction) {
            case READ_AGAIN -> {}
            case RETRY -> pause.reset();
            case AWAIT_TYPE -> awaitType();
            case READ_AGAIN_LATER, RETRY_LATER -> {
                Duration asked = e instanceof ApiException api ? RetryAfter.of(api) : Duration.ZERO;
                if (pause.sleep(pause.afterFailure(code, asked))) {
                    pause.reset();
                }
            }
        }
    }

    /**
     * Discovery is asked for the type and not the list, since one answer serves all informers of a group and version. This
     * does not back off, however long it takes: a person waits for what follows.
     */
    private void awaitType() {
        pause.reset();
        do {
            pause.sleep(ApiDiscovery.WAITING_INTERVAL);
        } while (!state.isStopped() && source.isKnownMissing());
    }
}
