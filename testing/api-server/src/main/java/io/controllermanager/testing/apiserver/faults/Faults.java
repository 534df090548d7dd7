package io.controllermanager.testing.apiserver.faults;

import io.controllermanager.testing.apiserver.http.Handler;
import io.controllermanager.testing.apiserver.http.Request;
import io.controllermanager.testing.apiserver.http.Response;
import io.controllermanager.testing.apiserver.storage.Store;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Makes things go wrong: {@code faults().when(RequestMatcher.watch("foos")).times(1).closeAfterEvents(3)}. Several faults
 * may strike one request. Where chance is asked for, the server's seed decides, so that the same requests in the same
 * order meet the same faults. For use by any thread.
 */
public final class Faults {

    private final List<Fault> faults = new CopyOnWriteArrayList<>();
    private final Random random;
    private final Store store;

    /**
     * No faults yet.
     *
     * @param random decides where a fault strikes by chance
     */
    public Faults(Random random, Store store) {
        this.random = random;
        this.store = store;
    }

    /** Begins the description of a fault; it lies in wait once it is said what it does. */
    public Builder when(RequestMatcher matcher) {
        return new Builder(matcher);
    }

    /** Removes all. */
    public void clear() {
        faults.forEach(Fault::remove);
        faults.clear();
    }

    /** Puts the faults before a handler. Not for tests. */
    public Handler before(Handler handler) {
        return request -> strike(request, handler);
    }

    private Response strike(Request request, Handler handler) throws IOException, InterruptedException {
        if (faults.isEmpty()) {
            return handler.handle(request);
        }
        RequestTarget target = RequestTarget.of(request);
        List<Fault> striking = new ArrayList<>();
        for (Fault fault : faults) {
            if (fault.strikes(target, random)) {
                striking.add(fault);
            }
        }
        return new Strike(striking, target, store).handle(request, handler);
    }

    /** Says how often and by what chance a fault strikes, and last what it does. */
    public final class Builder {

        private final RequestMatcher matcher;
        private int times = Integer.MAX_VALUE;
        private double chance = 1;

        private Builder(RequestMatcher matcher) {
            this.matcher = matcher;
        }

        /** For so many requests only; without it for all until the fault is removed. */
        public Builder times(int count) {
            if (count < 1) {
                throw new IllegalArgumentException("A fault strikes at least once, but times is " + count);
            }
            times = count;
            return this;
        }

        /**
         * For some requests only, which the server's seed picks.
         *
         * @param probability between 0 and 1
         */
        public Builder chance(double probability) {
            if (!(probability > 0 && probability <= 1)) {
                throw new IllegalArgumentException("A chance lies between 0 and 1, but is " + probability);
            }
            chance = probability;
            return this;
        }

        /** The request is carried out and answered later. */
        public Fault delay(Duration time) {
            return add(new Effect.Delay(positive(time)));
        }

        /** No answer comes and the connection stays open, until the fault is removed; then the request goes on. */
        public Fault hang() {
            return add(new Effect.Hang());
        }

        /** A watch falls silent after so many events; its connection stays open. */
        public Fault hangAfterEvents(int events) {
            return add(new Effect.HangAfter(events));
        }

        /** The request is refused with this code and not carried out. */
        public Fault respond(int code) {
            return respond(code, Duration.ZERO);
        }

        /**
         * The request is refused with this code and not carried out.
         *
         * @param retryAfter goes into the {@code Retry-After} header, in whole seconds
         */
        public Fault respond(int code, Duration retryAfter) {
            if (code < 400 || code > 599) {
                throw new IllegalArgumentException("A refusal's code lies between 400 and 599, but is " + code);
            }
            return add(new Effect.Respond(code, retryAfter));
        }

        /** The request is carried out; the connection is cut after so many bytes of the answer's body. */
        public Fault closeAfterBytes(int bytes) {
            return add(new Effect.CutAfterBytes(bytes));
        }

        /** The connection of a watch is cut after so many events. */
        public Fault closeAfterEvents(int events) {
            return add(new Effect.CutAfterEvents(events));
        }

        /** A list shows the state of so many changes ago (of all resources together), as a lagging server's cache would. */
        public Fault staleBy(int changes) {
            return add(new Effect.Stale(changes));
        }

        /** History is said to be compacted: 410, in a watch as an ERROR event at its start. */
        public Fault gone() {
            return add(new Effect.Gone());
        }

        /** A watch gets no bookmarks. */
        public Fault dropBookmarks() {
            return add(new Effect.Bookmarks(0));
        }

        /** A watch gets each bookmark twice. */
        public Fault repeatBookmarks() {
            return add(new Effect.Bookmarks(2));
        }

        /** A watch is as if its client read slowly: a pause follows each event, and history may go on without it. */
        public Fault slowReader(Duration pause) {
            return add(new Effect.Slow(positive(pause)));
        }

        private Duration positive(Duration time) {
            if (time.isNegative() || time.isZero()) {
                throw new IllegalArgumentException("A pause is longer than 0, but is " + time);
            }
            return time;
        }

        private Fault add(Effect effect) {
            Fault fault = new Fault(matcher, effect, times, chance);
            faults.add(fault);
            return fault;
        }
    }
}
