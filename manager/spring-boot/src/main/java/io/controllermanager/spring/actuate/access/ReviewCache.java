package io.controllermanager.spring.actuate.access;

import io.controllermanager.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Remembers what the API server said, each answer for a while. Callers who ask the same at the same time share one
 * request. What failed is not remembered. Safe for use by several threads.
 *
 * <p>Favourable and other answers are kept apart, so that somebody who tries one wrong token after another does not push
 * out those that are in use; and there are limits to how many requests are under way and how many callers wait for them,
 * beyond which callers are refused at once: an API server that hangs never takes all threads of the web server.
 *
 * @param <K> what is asked
 * @param <V> what the answer is
 */
final class ReviewCache<K, V> {

    /** How many answers of each kind are kept; of more, those go that have not been used for longest. */
    static final int MAXIMUM_SIZE = 1_000;

    /** How many requests are under way at most. */
    static final int MAXIMUM_REQUESTS = 20;

    /** How many callers wait for those requests at most, each on a thread of the web server. */
    static final int MAXIMUM_WAITING = 50;

    private final Clock clock;
    private final Predicate<V> favourable;
    private final Answers<K, V> kept;
    private final Answers<K, V> refused;
    private final ConcurrentMap<K, CompletableFuture<V>> underWay = new ConcurrentHashMap<>();
    private final Semaphore requests = new Semaphore(MAXIMUM_REQUESTS);
    private final Semaphore waiting = new Semaphore(MAXIMUM_WAITING);

    /**
     * Remembers nothing yet.
     *
     * @param favourable tells answers that let somebody in
     * @param favourableFor how long those hold; zero for not at all
     * @param othersFor how long others hold; zero for not at all
     */
    ReviewCache(Clock clock, Predicate<V> favourable, Duration favourableFor, Duration othersFor) {
        this.clock = clock;
        this.favourable = favourable;
        this.kept = new Answers<>(favourableFor);
        this.refused = new Answers<>(othersFor);
    }

    /** Asks the API server. */
    @FunctionalInterface
    interface Review<V> {
        V ask() throws ReviewFailedException;
    }

    /**
     * The answer that still holds, or else a new one.
     *
     * @throws ReviewFailedException if there is none
     */
    V get(K key, Review<V> review) throws ReviewFailedException {
        V known = known(key);
        if (known != null) {
            return known;
        }
        return waitFor(() -> share(key, review));
    }

    /**
     * An answer that is neither kept nor shared, within the same limits.
     *
     * @throws ReviewFailedException if there is none
     */
    V once(Review<V> review) throws ReviewFailedException {
        return waitFor(() -> request(review));
    }

    private V waitFor(Review<V> review) throws ReviewFailedException {
        return within(waiting, MAXIMUM_WAITING, review);
    }

    private V request(Review<V> review) throws ReviewFailedException {
        return within(requests, MAXIMUM_REQUESTS, review);
    }

    private static <V> V within(Semaphore limit, int maximum, Review<V> review) throws ReviewFailedException {
        if (!limit.tryAcquire()) {
            throw new ReviewFailedException(
                    "too many requests wait for the API server", maximum + " wait already", null);
        }
        try {
            return review.ask();
        } finally {
            limit.release();
        }
    }

    private V share(K key, Review<V> review) throws ReviewFailedException {
        CompletableFuture<V> own = new CompletableFuture<>();
        CompletableFuture<V> other = underWay.putIfAbsent(key, own);
        if (other != null) {
            return await(other);
        }
        try {
            // Another may have been answered between the two looks.
            V meanwhile = known(key);
            V answer = meanwhile == null ? ask(key, review) : meanwhile;
            own.complete(answer);
            return answer;
        } catch (ReviewFailedException | RuntimeException | Error e) {
            own.completeExceptionally(e);
            throw e;
        } finally {
            underWay.remove(key, own);
        }
    }

    private V ask(K key, Review<V> review) throws ReviewFailedException {
        V answer = request(review);
        (favourable.test(answer) ? kept : refused).put(key, answer, clock.nanoTime());
        return answer;
    }

    private @Nullable V known(K key) {
        long now = clock.nanoTime();
        V answer = kept.get(key, now);
        return answer == null ? refused.get(key, now) : answer;
    }

    private static <V> V await(CompletableFuture<V> answer) throws ReviewFailedException {
        try {
            return answer.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof ReviewFailedException failed) {
                throw new ReviewFailedException(String.valueOf(failed.getMessage()), failed.detail(), failed);
            }
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ReviewFailedException("the controller manager is stopping", "interrupted", e);
        }
    }

    /** Answers of one kind, the one that was used last at the end. */
    private static final class Answers<K, V> {

        private final long lifetimeNanos;
        private final Map<K, Answer<V>> byKey = new LinkedHashMap<>(16, 0.75f, true);

        private record Answer<V>(V value, long nanos) {}

        Answers(Duration lifetime) {
            this.lifetimeNanos = lifetime.toNanos();
        }

        synchronized @Nullable V get(K key, long now) {
            Answer<V> answer = byKey.get(key);
            if (answer == null) {
                return null;
            }
            if (now - answer.nanos() >= lifetimeNanos) {
                byKey.remove(key);
                return null;
            }
            return answer.value();
        }

        synchronized void put(K key, V value, long now) {
            if (lifetimeNanos == 0) {
                return;
            }
            byKey.put(key, new Answer<>(value, now));
            if (byKey.size() > MAXIMUM_SIZE) {
                byKey.remove(byKey.keySet().iterator().next());
            }
        }
    }
}
