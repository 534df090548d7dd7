package io.controllermanager.testing.apiserver.faults;

import io.controllermanager.testing.apiserver.http.Handler;
import io.controllermanager.testing.apiserver.http.MediaTypes;
import io.controllermanager.testing.apiserver.http.Request;
import io.controllermanager.testing.apiserver.http.Response;
import io.controllermanager.testing.apiserver.http.StatusException;
import io.controllermanager.testing.apiserver.storage.Store;
import io.controllermanager.testing.apiserver.table.Representation;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

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
        Handler struck = handler;
        if (!faults.isEmpty()) {
            RequestTarget target = RequestTarget.of(request);
            for (Fault fault : faults) {
                if (fault.strikes(target, random)) {
                    struck = fault.before(struck);
                }
            }
        }
        return struck.handle(request);
    }

    private static StatusException refusal(int code, Duration retryAfter) {
        String reason = switch (code) {
            case 401 -> "Unauthorized";
            case 403 -> "Forbidden";
            case 404 -> "NotFound";
            case 409 -> "Conflict";
            case 410 -> "Expired";
            case 429 -> "TooManyRequests";
            case 503 -> "ServiceUnavailable";
            case 504 -> "Timeout";
            default -> "InternalError";
        };
        StatusException refusal = StatusException.of(code, reason, "refused on demand");
        return retryAfter.isZero() ? refusal : refusal.retryAfter(retryAfter.toSeconds());
    }

    private static Response expired(Request request) {
        StatusException expired = StatusException.expired("too old resource version");
        if (!RequestTarget.of(request).verb().equals("watch")) {
            throw expired;
        }
        byte[] event = Representation.of(request).error(expired);
        return new Response.Stream(MediaTypes.JSON, sink -> {
            sink.send(event, false);
            sink.flush();
        });
    }

    private Request stale(Request request, int changes) {
        long version = Math.max(store.oldest(RequestTarget.of(request).groupResource()), store.version() - changes);
        return request.at(Long.toString(Math.max(1, version)));
    }

    /** The beginning of a whole answer, or of a stream. */
    private static Response cutAfterBytes(Fault fault, Response response, int bytes) {
        if (response instanceof Response.Document document) {
            byte[] part = Arrays.copyOf(document.body(), Math.min(bytes, document.body().length));
            return new Response.Stream(document.contentType(), sink -> {
                sink.send(part, false);
                throw Fault.cut(sink);
            });
        }
        AtomicInteger left = new AtomicInteger(bytes);
        return FaultyStream.of(fault, response, (struck, before, event, bookmark, sink) -> {
            if (left.addAndGet(-event.length) < 0) {
                sink.send(Arrays.copyOf(event, left.get() + event.length), bookmark);
                throw Fault.cut(sink);
            }
            sink.send(event, bookmark);
        });
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
            positive(time);
            return add((fault, request, handler) -> {
                fault.hold(time);
                return handler.handle(request);
            });
        }

        /** No answer comes and the connection stays open, until the fault is removed; then the request goes on. */
        public Fault hang() {
            return add((fault, request, handler) -> {
                fault.hold();
                return handler.handle(request);
            });
        }

        /** A watch falls silent after so many events; its connection stays open. */
        public Fault hangAfterEvents(int events) {
            return stream((fault, before, event, bookmark, sink) -> {
                if (before >= events) {
                    sink.flush();
                    fault.hold();
                }
                sink.send(event, bookmark);
            });
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
            return add((fault, request, handler) -> {
                throw refusal(code, retryAfter);
            });
        }

        /** The request is carried out; the connection is cut after so many bytes of the answer's body. */
        public Fault closeAfterBytes(int bytes) {
            return add((fault, request, handler) -> cutAfterBytes(fault, handler.handle(request), bytes));
        }

        /** The connection of a watch is cut after so many events. */
        public Fault closeAfterEvents(int events) {
            return stream((fault, before, event, bookmark, sink) -> {
                if (before < events) {
                    sink.send(event, bookmark);
                }
                if (before + 1 >= events) {
                    throw Fault.cut(sink);
                }
            });
        }

        /** A list shows the state of so many changes ago (of all resources together), as a lagging server's cache would. */
        public Fault staleBy(int changes) {
            return add((fault, request, handler) -> handler.handle(stale(request, changes)));
        }

        /** History is said to be compacted: 410, in a watch as an ERROR event at its start. */
        public Fault gone() {
            return add((fault, request, handler) -> expired(request));
        }

        /** A watch gets no bookmarks. */
        public Fault dropBookmarks() {
            return stream((fault, before, event, bookmark, sink) -> {
                if (!bookmark) {
                    sink.send(event, bookmark);
                }
            });
        }

        /** A watch gets each bookmark twice. */
        public Fault repeatBookmarks() {
            return stream((fault, before, event, bookmark, sink) -> {
                sink.send(event, bookmark);
                if (bookmark) {
                    sink.send(event, bookmark);
                }
            });
        }

        /** A watch is as if its client read slowly: a pause follows each event, and history may go on without it. */
        public Fault slowReader(Duration pause) {
            positive(pause);
            return stream((fault, before, event, bookmark, sink) -> {
                sink.send(event, bookmark);
                sink.flush();
                fault.hold(pause);
            });
        }

        private static void positive(Duration time) {
            if (time.isNegative() || time.isZero()) {
                throw new IllegalArgumentException("A pause is longer than 0, but is " + time);
            }
        }

        private Fault stream(FaultyStream.Interference effect) {
            return add((fault, request, handler) -> FaultyStream.of(fault, handler.handle(request), effect));
        }

        private Fault add(Fault.Effect effect) {
            Fault fault = new Fault(matcher, effect, times, chance);
            faults.add(fault);
            return fault;
        }
    }
}
