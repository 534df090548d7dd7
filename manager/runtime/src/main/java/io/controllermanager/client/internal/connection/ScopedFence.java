package io.controllermanager.client.internal.connection;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The fence of a client that several share who may write at different times. What is written within somebody's scope is for
 * that one's fence to decide, all else for a common one. A scope is that of a thread. Safe for use by several threads.
 */
public final class ScopedFence implements WriteFence {

    private final WriteFence outside;

    @SuppressWarnings("ThreadLocalUsage") // a scope of one fence is none of another's
    private final ThreadLocal<@Nullable WriteFence> scope = new ThreadLocal<>();

    /** With the fence for what is written in nobody's scope. */
    public ScopedFence(WriteFence outside) {
        this.outside = outside;
    }

    /** Does some work whose writes are for that fence to decide. */
    public <T> T within(WriteFence fence, Supplier<T> work) {
        WriteFence before = scope.get();
        scope.set(fence);
        try {
            return work.get();
        } finally {
            if (before == null) {
                scope.remove();
            } else {
                scope.set(before);
            }
        }
    }

    @Override
    public void checkWrite() throws WriteRefusedException {
        WriteFence own = scope.get();
        (own == null ? outside : own).checkWrite();
    }

    @Override
    public WriteFence here() {
        WriteFence own = scope.get();
        return own == null ? this : own;
    }
}
