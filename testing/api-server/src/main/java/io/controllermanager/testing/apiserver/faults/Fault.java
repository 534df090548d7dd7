package io.controllermanager.testing.apiserver.faults;

import io.controllermanager.testing.apiserver.http.AbortedConnection;
import io.controllermanager.testing.apiserver.http.Handler;
import io.controllermanager.testing.apiserver.http.Request;
import io.controllermanager.testing.apiserver.http.Response;
import java.io.IOException;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A fault that lies in wait. For use by any thread. */
public final class Fault {

    /** What a fault does to a request that it strikes. */
    @FunctionalInterface
    interface Effect {

        /** Answers in the handler's place, which may be asked or not. */
        Response strike(Fault fault, Request request, Handler handler) throws IOException, InterruptedException;
    }

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

    Handler before(Handler handler) {
        return request -> effect.strike(this, request, handler);
    }

    /** Waits until the fault is removed. */
    void hold() throws InterruptedException {
        removed.await();
    }

    /** Waits until the time is over, or the fault removed before. */
    @SuppressWarnings("ReturnValueIgnored") // Either way it goes on.
    void hold(Duration time) throws InterruptedException {
        removed.await(time.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Sends what a sink has, and cuts. */
    static AbortedConnection cut(Response.Sink sink) throws IOException {
        sink.flush();
        return new AbortedConnection();
    }
}
