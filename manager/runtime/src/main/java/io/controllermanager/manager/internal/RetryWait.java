package io.controllermanager.manager.internal;

import io.controllermanager.time.internal.Timer;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/** Lets threads wait for the next try, and wakes them early when a try is known to be worth it. */
final class RetryWait {

    private final Timer timer;
    private final Set<CountDownLatch> waiting = ConcurrentHashMap.newKeySet();

    RetryWait(Timer timer) {
        this.timer = timer;
    }

    /** Waits; returns early when woken. */
    void await(Duration duration) throws InterruptedException {
        CountDownLatch over = new CountDownLatch(1);
        waiting.add(over);
        Timer.Cancellable task = timer.schedule(duration, over::countDown);
        try {
            over.await();
        } finally {
            task.cancel();
            waiting.remove(over);
        }
    }

    /** Ends every wait that is under way. */
    void wake() {
        waiting.forEach(CountDownLatch::countDown);
    }
}
