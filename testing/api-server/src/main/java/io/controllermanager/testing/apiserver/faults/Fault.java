package io.controllermanager.testing.apiserver.faults;

import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A fault that lies in wait. For use by any thread. */
public final class Fault {

    private final RequestMatcher matcher;
    private final Effect effect;
    private final double chance;
    private final CountDownLatch removed = new CountDownLatch(1);
    private int left;
    private int hits;

    Fault(RequestMatcher matcher, Effect effect, int times, double chance) {
        this.matcher = matcher;
        this.effect = effect;
        this.left = times;
        this.chance = chance;
    }

    /** How many requests it has struck. */
    public synchronized int hits() {
        return hits;
    }

    /** Ends it; requests that it holds go on. */
    public void remove() {
        synchronized (this) {
            left = 0;
        }
        removed.countDown();
    }

    /** Whether it strikes this request, which counts. */
    synchronized boolean strikes(RequestTarget target, Random random) {
        if (left == 0 || !matcher.matches(target) || (chance < 1 && random.nextDouble() >= chance)) {
            return false;
        }
        left--;
        hits++;
        return true;
    }

    Effect effect() {
        return effect;
    }

    /** Waits until the time is over or the fault removed. */
    void hold(long nanos) throws InterruptedException {
        boolean gone = removed.await(nanos, TimeUnit.NANOSECONDS);
        assert gone || nanos >= 0;
    }
}
