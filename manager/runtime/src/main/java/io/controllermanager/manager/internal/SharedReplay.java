package io.controllermanager.manager.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Goes through what is held whole on behalf of shards that are opened. One pass at a time: shards that come during one share
 * the next, as each of them has to see all that was there when it was opened. Safe for use by several threads.
 */
final class SharedReplay {

    private final Consumer<IntPredicate> pass;

    /** Held during a pass. Who gets it finds its own pass over or not begun, and no other can be next then. */
    private final ReentrantLock turn = new ReentrantLock();

    /** What the next pass is for; null if there is none. */
    @GuardedBy("this")
    private @Nullable Pass next;

    private static final class Pass {
        private final Set<Integer> shards = new HashSet<>();
        private boolean over;
        private @Nullable Throwable failure;
    }

    /**
     * Goes through nothing yet.
     *
     * @param pass goes through everything, for the shards of which it is given which they are
     */
    SharedReplay(Consumer<IntPredicate> pass) {
        this.pass = pass;
    }

    /**
     * Returns once a pass for the shard has ended, on this thread or another's; or, if interrupted, at once.
     *
     * @throws IllegalStateException if the pass failed
     */
    void replay(int shard) {
        Pass mine = join(shard);
        try {
            turn.lockInterruptibly();
        } catch (InterruptedException e) {
            // The shard is closed. Whoever shares the pass runs it.
            Thread.currentThread().interrupt();
            return;
        }
        try {
            if (!mine.over) {
                run(mine);
            }
        } finally {
            turn.unlock();
        }
        Throwable failure = mine.failure;
        if (failure != null) {
            throw new IllegalStateException(failure.getMessage(), failure);
        }
    }

    private synchronized Pass join(int shard) {
        Pass mine = next == null ? new Pass() : next;
        next = mine;
        mine.shards.add(shard);
        return mine;
    }

    private void run(Pass mine) {
        synchronized (this) {
            next = null;
        }
        try {
            pass.accept(mine.shards::contains);
        } catch (Throwable e) {
            mine.failure = e;
        }
        mine.over = true;
    }
}
