package io.controllermanager.manager.internal;

import io.controllermanager.client.Registration;
import io.controllermanager.client.internal.request.FailureMessage;
import io.controllermanager.time.internal.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a new leader waits for before it works: that nothing else forbids it, that its caches are filled, and that they have
 * what the last leader wrote, or that work would be done a second time. Used by the loop's thread; ends when closed, without
 * telling.
 */
final class CatchUp implements Registration {

    /** How long caches may be behind what was written: no watch tells of an object that this process may not see. */
    static final Duration LONGEST_BEHIND = Duration.ofSeconds(5);

    /** How often an obstacle is looked at again. */
    static final Duration OBSTACLE_PERIOD = Duration.ofSeconds(1);

    /** What is read from. */
    interface Caches {

        /** Tells once, on any thread, when they are filled; a standby's are. */
        default Registration whenFilled(Runnable told) {
            told.run();
            return () -> {};
        }

        /** Tells once, on any thread, when they have come as far as another process had written. */
        Registration whenPassed(Map<String, String> versions, Runnable told);
    }

    /** Told on the loop's thread. */
    interface Waiting {

        /**
         * Something forbids to work. Told each time that it is looked at.
         *
         * @param reason a sentence, null once it is gone
         * @param first whether nothing did before
         */
        void obstacle(@Nullable String reason, boolean first);

        /** The caches are filled. */
        default void filled() {}

        /**
         * Nothing is waited for any more.
         *
         * @param behind what the caches may lack, null for nothing
         */
        void caughtUp(@Nullable Map<String, String> behind);

        /** It cannot be known when the caches are ready. */
        void failed(Throwable failure);
    }

    private final Candidacy.Term term;
    private final String lease;
    private final Caches caches;
    private final @Nullable Supplier<@Nullable String> obstacle;
    private final Waiting waiting;
    private final HostLoop loop;
    private final Duration mostBehind;
    private Registration reading = () -> {};
    private Timer.Cancellable limit = () -> {};
    private boolean clear;
    private boolean read;
    private @Nullable Map<String, String> behind;
    private boolean forbidden;
    private boolean over;

    /**
     * Waits for nothing yet.
     *
     * @param obstacle what forbids to work although the Lease is held, a sentence, null if nothing does; asks the API
     *     server, on a thread that may block. Null if nothing else can forbid to work
     */
    CatchUp(
            Candidacy.Term term,
            String lease,
            Caches caches,
            @Nullable Supplier<@Nullable String> obstacle,
            Waiting waiting,
            HostLoop loop,
            long now) {
        this.term = term;
        this.lease = lease;
        this.caches = caches;
        this.obstacle = obstacle;
        this.waiting = waiting;
        this.loop = loop;
        this.clear = obstacle == null;
        this.mostBehind = LONGEST_BEHIND.minusNanos(now - term.since());
    }

    /** Waits until the caches are filled, then for what the last leader wrote. */
    CatchUp begin() {
        askForObstacle();
        reading = caches.whenFilled(() -> loop.post(() -> {
            if (!over) {
                waiting.filled();
                try {
                    waitUntilRead();
                } catch (RuntimeException | Error e) {
                    waiting.failed(e);
                }
            }
        }));
        return this;
    }

    private void waitUntilRead() {
        reading = caches.whenPassed(term.lastWritten(), () -> loop.post(() -> read(null)));
        limit = loop.later(mostBehind, () -> read(term.lastWritten()));
    }

    private void read(@Nullable Map<String, String> lacking) {
        if (!over && !read) {
            read = true;
            behind = lacking;
            proceed();
        }
    }

    private void proceed() {
        if (clear && read) {
            close();
            waiting.caughtUp(behind);
        }
    }

    private void askForObstacle() {
        Supplier<@Nullable String> question = obstacle;
        if (question != null && !over) {
            HostLoop.background("controller-manager-obstacle-" + lease, () -> {
                String answer = answer(question);
                loop.post(() -> answered(answer));
            });
        }
    }

    private static @Nullable String answer(Supplier<@Nullable String> question) {
        try {
            return question.get();
        } catch (Throwable e) {
            // Of any class: without an answer nothing would ever go on.
            return "whether others work by another number of shards cannot be asked: " + FailureMessage.of(e);
        }
    }

    private void answered(@Nullable String found) {
        if (over) {
            return;
        }
        waiting.obstacle(found, found != null && !forbidden);
        forbidden = found != null;
        if (found == null) {
            clear = true;
            proceed();
        } else {
            loop.later(OBSTACLE_PERIOD, this::askForObstacle);
        }
    }

    boolean isOver() {
        return over;
    }

    /** Ends the waiting, if it has not ended. */
    @Override
    public void close() {
        over = true;
        reading.close();
        limit.cancel();
    }
}
