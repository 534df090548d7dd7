package io.controllermanager.informer.internal;

import io.controllermanager.client.internal.ApiRequests;
import io.controllermanager.client.internal.RetryAfter;
import io.controllermanager.time.Clock;
import io.kubernetes.client.openapi.ApiException;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Consumer;
import okhttp3.Call;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out whether the API server filters collections by shard (KEP-5866): it refuses a selector that makes no sense then,
 * and knows no such parameter otherwise. The answer holds for all collections, and for {@link #KEPT}. Nobody relies on it:
 * what comes is filtered here as well. Safe for use by several threads.
 */
final class ShardSelectorProbe implements AutoCloseable {

    static final Duration KEPT = Duration.ofMinutes(10);

    private static final Logger log = LoggerFactory.getLogger(ShardSelectorProbe.class);

    private final ApiRequests requests;
    private final Clock clock;
    private final Object asking = new Object();
    private volatile @Nullable Answer last;
    private volatile @Nullable Call current;
    private volatile boolean closed;

    private record Answer(boolean filters, long nanos) {}

    ShardSelectorProbe(ApiRequests requests, Clock clock) {
        this.requests = requests;
        this.clock = clock;
    }

    /**
     * Tells whether the API server filters: at once if that is known, else on a thread of its own once it has answered, or
     * has failed to, which counts as no.
     *
     * @param collection asks for a collection that the host may list
     */
    void ask(CollectionRequest collection, Consumer<Boolean> told) {
        Answer known = fresh();
        if (known != null) {
            told.accept(known.filters());
            return;
        }
        Thread thread = new Thread(() -> told.accept(filters(collection)), "informer-shard-selector-probe");
        thread.setDaemon(true);
        thread.start();
    }

    private @Nullable Answer fresh() {
        Answer known = last;
        return known == null || clock.nanoTime() - known.nanos() > KEPT.toNanos() ? null : known;
    }

    private boolean filters(CollectionRequest collection) {
        // One asks, and the others wait for its answer.
        synchronized (asking) {
            Answer known = fresh();
            if (known != null) {
                return known.filters();
            }
            int code = send(collection);
            Boolean filters = meaning(code);
            log.debug("The API server answers a shard selector that makes no sense with {}", code);
            if (filters != null) {
                last = new Answer(filters, clock.nanoTime());
            }
            return Boolean.TRUE.equals(filters);
        }
    }

    /** The status of the answer, 0 if there was none. */
    private int send(CollectionRequest collection) {
        try {
            Request request = collection.request(false, "0");
            Call call = requests.call(RetryAfter.leftToCaller(request.newBuilder()
                    .url(request.url()
                            .newBuilder()
                            .setQueryParameter("shardSelector", "foo")
                            .setQueryParameter("limit", "1")
                            .build())
                    .build()));
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

    /** Whether a status says that the API server filters; null if it says nothing of that. */
    static @Nullable Boolean meaning(int code) {
        return switch (code) {
            case 200 -> false;
            // What it says with the gate on is 500 in 1.36; a refusal of the request is what it should be.
            case 400, 422, 500 -> true;
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
    }
}
