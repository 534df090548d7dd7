package io.controllermanager.recorder.internal;

import io.controllermanager.testing.support.Waiting;
import io.controllermanager.time.Clock;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The machine's clock, which jumps once for the thread that asks for it. */
final class JumpingClock implements Clock {

    private final Clock machine = Clock.system();
    private volatile @Nullable Thread jumping;
    private Duration ahead = Duration.ZERO;
    private Duration next = Duration.ZERO;

    /** Gives an action that has a time limit a time that is enough on any machine. */
    void unhurried(Runnable action) {
        jump(Waiting.LIMIT.negated(), action);
    }

    /** Between the action's first reading and its later ones so much more time passes, or less if that is negative. */
    void jump(Duration by, Runnable action) {
        ahead = Duration.ZERO;
        next = by;
        jumping = Thread.currentThread();
        try {
            action.run();
        } finally {
            jumping = null;
        }
    }

    @Override
    public long nanoTime() {
        long now = machine.nanoTime();
        if (Thread.currentThread() == jumping) {
            now += ahead.toNanos();
            ahead = next;
        }
        return now;
    }

    @Override
    public Instant now() {
        return machine.now();
    }
}
