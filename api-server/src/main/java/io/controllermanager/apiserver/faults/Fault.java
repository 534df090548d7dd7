package io.controllermanager.apiserver.faults;

import io.controllermanager.apiserver.http.Handler;
import io.controllermanager.apiserver.http.Request;
import io.controllermanager.apiserver.http.Response;
import java.io.IOException;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A fault that lies in wait. For use by any thread. */
public final class Fault {

    /** What a fault does to a request. */
    @FunctionalInterface
    interface Effect {

        /** Answers in the handler's place, which may be asked or not. */
        Response strike(Strike strike, Request request, Handler handler) throws IOException, InterruptedException;
    }

    private final RequestMatcher matcher;
    private final Effect effect;
    private final boolean refuses;
    private final double chance;
    private final CountDownLatch removed = new CountDownLatch(1);
    private int left;
    private int hits;

    Fault(RequestMatcher matcher, Effect effect, boolean refuses, int times, double chance) {
        this.matcher = matcher;
        this.effect = effect;
        this.refuses = refuses;
        this.left = times;
        this.chance = chance;
    }

    /** Of how many requests something became other than without it. */
    public synchronized int hits() {
        return hits;
    }

    /** Ends it; requests that it holds go on, and streams that it meddles with are left alone. */
    public synchronized void remove() {
        left = 0;
        removed.countDown();
    }

    /** Whether its requests are not carried out. */
    boolean refuses() {
        return refuses;
    }

    /** Whether it is put before a request, which does not count yet. */
    synchronized boolean concerns(RequestTarget target, Random random) {
        return left > 0 && matcher.matches(target) && (chance >= 1 || random.nextDouble() < chance);
    }

    Handler before(Handler handler) {
        return request -> effect.strike(new Strike(), request, handler);
    }

    private synchronized boolean take() {
        if (left == 0) {
            return false;
        }
        left--;
        hits++;
        return true;
    }

    /** The fault in the way of one request. For the request's thread. */
    final class Strike {

        private boolean acted;

        /** To be asked at the moment of acting: whether the fault still does. The first yes counts. */
        boolean acts() {
            if (!acted) {
                acted = take();
                return acted;
            }
            return removed.getCount() > 0;
        }

        /** Waits until the time is over, or the fault removed before. */
        @SuppressWarnings("ReturnValueIgnored") // Either way it goes on.
        void hold(Duration time) throws InterruptedException {
            removed.await(TimeUnit.NANOSECONDS.convert(time), TimeUnit.NANOSECONDS);
        }

        /** Sends what a sink has, and cuts. */
        IOException cut(Response.Sink sink) throws IOException {
            sink.flush();
            return new IOException("cut on demand");
        }
    }
}
