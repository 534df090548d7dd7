package io.controllermanager.informer.internal.partition;

import io.controllermanager.client.internal.connection.RetryAfter;
import io.controllermanager.client.internal.request.ApiRequests;
import io.controllermanager.informer.internal.reflector.CollectionRequest;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.Timer;
import io.kubernetes.client.openapi.ApiException;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import okhttp3.Call;
import okhttp3.HttpUrl;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out whether the API server filters collections by shard (KEP-5866): it refuses a selector that makes no sense then,
 * and knows no such parameter otherwise. A refusal counts only if the same request without a selector succeeds. The answer
 * holds for all collections, and for {@link #KEPT}. Nobody relies on it: what comes is filtered here as well. Safe for use by
 * several threads.
 */
public final class ShardSelectorProbe implements AutoCloseable {

    public static final Duration KEPT = Duration.ofMinutes(10);

    /** When it asks again if it has learnt nothing. */
    public static final Duration AGAIN = Duration.ofSeconds(1);

    /** How long it goes on asking. The caches are not filled meanwhile. */
    public static final Duration LONGEST = Duration.ofSeconds(5);

    private static final Logger log = LoggerFactory.getLogger(ShardSelectorProbe.class);

    private final ApiRequests requests;
    private final Clock clock;
    private final Timer timer;
    private final Set<Thread> asking = ConcurrentHashMap.newKeySet();
    private volatile @Nullable Answer last;
    private volatile @Nullable Call current;
    private volatile boolean closed;

    private record Answer(boolean filters, long nanos) {}

    public ShardSelectorProbe(ApiRequests requests, Clock clock, Timer timer) {
        this.requests = requests;
        this.clock = clock;
        this.timer = timer;
    }

    /**
     * Tells whether the API server filters: at once if that is known, else on a thread of its own once it has answered. While
     * nothing can be learnt it asks again and again, for {@link #LONGEST}; then that counts as no, and is not kept. It tells
     * in any case, since shards wait for it.
     *
     * @param collection asks for a collection that the host may list
     */
    public void ask(CollectionRequest collection, Consumer<Boolean> told) {
        Answer known = fresh();
        if (known != null) {
            told.accept(known.filters());
            return;
        }
        Thread thread = new Thread(() -> told.accept(answer(collection)), "informer-shard-selector-probe");
        thread.setDaemon(true);
        try {
            thread.start();
        } catch (Error e) {
            told.accept(failed(e));
        }
    }

    private boolean answer(CollectionRequest collection) {
        long since = clock.nanoTime();
        asking.add(Thread.currentThread());
        try {
            Boolean filters = filters(collection);
            while (filters == null && !closed && clock.nanoTime() - since < LONGEST.toNanos()) {
                timer.sleep(AGAIN);
                filters = filters(collection);
            }
            return Boolean.TRUE.equals(filters);
        } catch (InterruptedException e) {
            return false;
        } catch (RuntimeException | Error e) {
            return failed(e);
        } finally {
            asking.remove(Thread.currentThread());
        }
    }

    private static boolean failed(Throwable failure) {
        log.warn("Could not find out whether the API server filters by shard; it is taken not to", failure);
        return false;
    }

    private @Nullable Answer fresh() {
        Answer known = last;
        return known == null || clock.nanoTime() - known.nanos() > KEPT.toNanos() ? null : known;
    }

    /** Null if nothing can be learnt now. */
    private @Nullable Boolean filters(CollectionRequest collection) {
        // One asks, and the others wait for its answer.
        synchronized (asking) {
            Answer known = fresh();
            if (known != null) {
                return known.filters();
            }
            int code = send(collection, "foo");
            Boolean filters = meaning(code, () -> send(collection, null));
            log.debug("The API server answers a shard selector that makes no sense with {}: filters {}", code, filters);
            if (filters != null) {
                last = new Answer(filters, clock.nanoTime());
            }
            return filters;
        }
    }

    /** The status of the answer, 0 if there was none. */
    private int send(CollectionRequest collection, @Nullable String selector) {
        try {
            Request request = collection.request(false, "0");
            HttpUrl.Builder url = request.url().newBuilder();
            if (selector != null) {
                url.setQueryParameter("shardSelector", selector);
            }
            url.setQueryParameter("limit", "1");
            Call call = requests.call(RetryAfter.leftToCaller(
                    request.newBuilder().url(url.build()).build()));
            current = call;
            if (closed) {
                return 0;
            }
            try (Response response = call.execute()) {
                ApiRequests.drop(response);
                return response.code();
            }
        } catch (ApiException | IOException e) {
            return 0;
        } finally {
            current = null;
        }
    }

    /**
     * Whether a status says that the API server filters; null if it says nothing of that.
     *
     * @param plain asks for the status of the same request without a selector, 0 for none
     */
    public static @Nullable Boolean meaning(int code, IntSupplier plain) {
        return switch (code) {
            case 200 -> false;
            // What it says with the gate on is 500 in 1.36; a refusal of the request is what it should be. There may be
            // another reason, such as a conversion webhook that is not up yet.
            case 400, 422, 500 -> plain.getAsInt() == 200 ? true : null;
            default -> null;
        };
    }

    /** Ends a question that is under way. */
    @Override
    public void close() {
        closed = true;
        Call call = current;
        if (call != null) {
            call.cancel();
        }
        asking.forEach(Thread::interrupt);
    }
}
