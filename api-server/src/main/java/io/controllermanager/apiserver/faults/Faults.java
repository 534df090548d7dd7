package io.controllermanager.apiserver.faults;

import static com.google.common.base.Preconditions.checkArgument;

import io.controllermanager.apiserver.faults.Fault.Strike;
import io.controllermanager.apiserver.http.Handler;
import io.controllermanager.apiserver.http.MediaTypes;
import io.controllermanager.apiserver.http.Request;
import io.controllermanager.apiserver.http.Response;
import io.controllermanager.apiserver.http.StatusException;
import io.controllermanager.apiserver.storage.Store;
import io.controllermanager.apiserver.table.Representation;
import java.io.IOException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Makes things go wrong: {@code faults().when(RequestMatcher.watch("foos")).times(1).closeAfterEvents(3)}. Several faults
 * may strike one request, but it is refused or cut by one only: of two refusals, the one set first is used up first, so
 * that "first 429, then 503" is said in that order, each with {@code times(1)}. Where chance is asked for, the server's
 * seed decides, so that the same requests in the same
 * order meet the same faults. For use by any thread.
 */
public final class Faults {

    private static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();

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
            List<Fault> concerning = new ArrayList<>(faults);
            concerning.removeIf(fault -> !fault.concerns(target, random));
            // The one set first comes first; refusals come last, so that a refused request can be late as well.
            Collections.reverse(concerning);
            concerning.sort(Comparator.comparing(Fault::refuses).reversed());
            for (Fault fault : concerning) {
                struck = fault.before(struck);
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
    private static Response cutAfterBytes(Strike strike, Response response, int bytes) {
        if (response instanceof Response.Document document) {
            byte[] body = document.body();
            int end = Math.min(bytes, body.length);
            return new Response.Stream(document.contentType(), sink -> {
                sink.send(Arrays.copyOf(body, end), false);
                if (strike.acts()) {
                    throw strike.cut(sink);
                }
                sink.send(Arrays.copyOfRange(body, end, body.length), false);
            });
        }
        AtomicInteger left = new AtomicInteger(bytes);
        return disturbed(strike, response, (struck, before, event, bookmark, sink) -> {
            int room = left.get();
            left.set(Math.max(0, room - event.length));
            if (event.length > room && struck.acts()) {
                sink.send(Arrays.copyOf(event, room), bookmark);
                throw struck.cut(sink);
            }
            sink.send(event, bookmark);
        });
    }

    /** What becomes of one event of a stream. */
    @FunctionalInterface
    private interface Interference {

        /**
         * Sends an event, or does not.
         *
         * @param before how many came before it
         */
        void send(Strike strike, int before, byte[] event, boolean bookmark, Response.Sink sink)
                throws IOException, InterruptedException;
    }

    /** Lets something interfere with an answer, if it is a stream. */
    private static Response disturbed(Strike strike, Response response, Interference interference) {
        if (!(response instanceof Response.Stream stream)) {
            return response;
        }
        return new Response.Stream(
                stream.contentType(),
                sink -> stream.events().writeTo(new Response.Sink() {
                    private int events;

                    @Override
                    public void send(byte[] event, boolean bookmark) throws IOException, InterruptedException {
                        interference.send(strike, events++, event, bookmark, sink);
                    }

                    @Override
                    public void flush() throws IOException {
                        sink.flush();
                    }
                }));
    }

    private static Response cutAtOnce(Strike strike, Response response) {
        return response instanceof Response.Stream stream
                ? new Response.Stream(stream.contentType(), sink -> {
                    if (strike.acts()) {
                        throw strike.cut(sink);
                    }
                    stream.events().writeTo(sink);
                })
                : response;
    }

    /** What is sent in an event's place. */
    @FunctionalInterface
    public interface Replacement {

        /**
         * What is sent, in order.
         *
         * @param before how many events came before it in its watch, bookmarks among them
         * @param event a line of JSON with the newline at its end
         */
        List<byte[]> of(int before, byte[] event);
    }

    /** Says how often and by what chance a fault strikes, and last what it does. */
    public final class Builder {

        private final RequestMatcher matcher;
        private int times = Integer.MAX_VALUE;
        private double chance = 1;

        private Builder(RequestMatcher matcher) {
            this.matcher = matcher;
        }

        /** Strikes so many requests only, those that it acts on first; without it for all until the fault is removed. */
        public Builder times(int count) {
            checkArgument(count >= 1, "times is at least 1, but is %s", count);
            times = count;
            return this;
        }

        /**
         * For some requests only, which the server's seed picks.
         *
         * @param probability between 0 and 1
         */
        public Builder chance(double probability) {
            checkArgument(
                    probability > 0 && probability <= 1, "chance lies above 0 and up to 1, but is %s", probability);
            chance = probability;
            return this;
        }

        /** The request is carried out and answered later. */
        public Fault delay(Duration time) {
            checkArgument(!time.isNegative() && !time.isZero(), "time is longer than 0, but is %s", time);
            return add((strike, request, handler) -> {
                if (strike.acts()) {
                    strike.hold(time);
                }
                return handler.handle(request);
            });
        }

        /** No answer comes and the connection stays open, until the fault is removed; then the request goes on. */
        public Fault hang() {
            return delay(FOREVER);
        }

        /**
         * A watch falls silent after so many events, bookmarks among them; its connection stays open.
         *
         * @param events 0 for none at all
         */
        public Fault hangAfterEvents(int events) {
            checkArgument(events >= 0, "events is at least 0, but is %s", events);
            return stream((strike, before, event, bookmark, sink) -> {
                if (before >= events && strike.acts()) {
                    sink.flush();
                    strike.hold(FOREVER);
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
         * @param retryAfter goes into the {@code Retry-After} header, which has whole seconds; 0 for no header
         */
        public Fault respond(int code, Duration retryAfter) {
            checkArgument(code >= 400 && code <= 599, "code lies between 400 and 599, but is %s", code);
            boolean whole = !retryAfter.isNegative() && retryAfter.toNanosPart() == 0;
            checkArgument(whole, "retryAfter is a number of whole seconds, not negative, but is %s", retryAfter);
            return refuse(request -> {
                throw refusal(code, retryAfter);
            });
        }

        /** The request is carried out; the connection is cut after so many bytes of the answer's body, or at its end. */
        public Fault closeAfterBytes(int bytes) {
            checkArgument(bytes >= 0, "bytes is at least 0, but is %s", bytes);
            return add((strike, request, handler) -> cutAfterBytes(strike, handler.handle(request), bytes));
        }

        /**
         * The connection of a watch is cut after so many events, bookmarks among them.
         *
         * @param events 0 to cut it after the answer's headers
         */
        public Fault closeAfterEvents(int events) {
            checkArgument(events >= 0, "events is at least 0, but is %s", events);
            if (events == 0) {
                return add((strike, request, handler) -> cutAtOnce(strike, handler.handle(request)));
            }
            return stream((strike, before, event, bookmark, sink) -> {
                sink.send(event, bookmark);
                if (before + 1 >= events && strike.acts()) {
                    throw strike.cut(sink);
                }
            });
        }

        /**
         * A list shows the state of so many changes ago (of all resources together), as a lagging server's cache would. The
         * further pages of a list go on where the first one began.
         */
        public Fault staleBy(int changes) {
            checkArgument(changes >= 1, "changes is at least 1, but is %s", changes);
            return add((strike, request, handler) -> {
                boolean list = RequestTarget.of(request).verb().equals("list")
                        && request.parameter("continue").isEmpty();
                return handler.handle(list && strike.acts() ? stale(request, changes) : request);
            });
        }

        /** History is said to be compacted: 410, in a watch as an ERROR event at its start. */
        public Fault gone() {
            return refuse(Faults::expired);
        }

        /** A watch gets no bookmarks. */
        public Fault dropBookmarks() {
            return stream((strike, before, event, bookmark, sink) -> {
                if (!bookmark || !strike.acts()) {
                    sink.send(event, bookmark);
                }
            });
        }

        /** A watch gets each bookmark twice. */
        public Fault repeatBookmarks() {
            return stream((strike, before, event, bookmark, sink) -> {
                sink.send(event, bookmark);
                if (bookmark && strike.acts()) {
                    sink.send(event, bookmark);
                }
            });
        }

        /**
         * Something else is sent in the place of a watch's events: garbage, an event of another kind, the same twice, or
         * nothing. The fault strikes where that is not just the event.
         */
        public Fault replaceEvents(Replacement replacement) {
            return stream((strike, before, event, bookmark, sink) -> {
                List<byte[]> instead = replacement.of(before, event);
                boolean same = instead.size() == 1 && Arrays.equals(instead.get(0), event);
                for (byte[] sent : same || !strike.acts() ? List.of(event) : instead) {
                    sink.send(sent, bookmark);
                }
            });
        }

        /** A watch is as if its client read slowly: a pause follows each event, and history may go on without it. */
        public Fault slowReader(Duration pause) {
            checkArgument(!pause.isNegative() && !pause.isZero(), "pause is longer than 0, but is %s", pause);
            return stream((strike, before, event, bookmark, sink) -> {
                boolean acts = strike.acts();
                sink.send(event, bookmark);
                if (acts) {
                    sink.flush();
                    strike.hold(pause);
                }
            });
        }

        private Fault stream(Interference effect) {
            return add((strike, request, handler) -> disturbed(strike, handler.handle(request), effect));
        }

        private Fault refuse(Handler refusal) {
            return add((strike, request, handler) -> (strike.acts() ? refusal : handler).handle(request), true);
        }

        private Fault add(Fault.Effect effect) {
            return add(effect, false);
        }

        private Fault add(Fault.Effect effect, boolean refuses) {
            Fault fault = new Fault(matcher, effect, refuses, times, chance);
            faults.add(fault);
            return fault;
        }
    }
}
