package io.controllermanager.testing.apiserver.faults;

import io.controllermanager.testing.apiserver.http.AbortedConnection;
import io.controllermanager.testing.apiserver.http.Handler;
import io.controllermanager.testing.apiserver.http.Request;
import io.controllermanager.testing.apiserver.http.Response;
import io.controllermanager.testing.apiserver.http.StatusException;
import io.controllermanager.testing.apiserver.storage.Store;
import io.controllermanager.testing.apiserver.table.Representation;
import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The faults that strike one request. */
record Strike(List<Fault> faults, RequestTarget target, Store store) {

    Response handle(Request request, Handler handler) throws IOException, InterruptedException {
        Request changed = request;
        for (Fault fault : faults) {
            if (fault.effect() instanceof Effect.Delay delay) {
                fault.hold(delay.time().toNanos());
            } else if (fault.effect() instanceof Effect.Hang) {
                fault.hold(Long.MAX_VALUE);
            } else if (fault.effect() instanceof Effect.Respond respond) {
                throw refusal(respond);
            } else if (fault.effect() instanceof Effect.Gone) {
                return gone(request);
            } else if (fault.effect() instanceof Effect.Stale stale) {
                changed = stale(changed, stale.changes());
            }
        }
        Response response = handler.handle(changed);
        for (Fault fault : faults) {
            response = strike(fault, response);
        }
        return response;
    }

    private static StatusException refusal(Effect.Respond respond) {
        String reason = switch (respond.code()) {
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
        StatusException refusal = StatusException.of(respond.code(), reason, "refused on demand");
        return respond.retryAfter().isZero()
                ? refusal
                : refusal.retryAfter(respond.retryAfter().toSeconds());
    }

    private Response gone(Request request) {
        StatusException expired = StatusException.expired("too old resource version");
        if (!target.verb().equals("watch")) {
            throw expired;
        }
        byte[] event = Representation.of(request).error(expired);
        return new Response.Stream("application/json", sink -> {
            sink.send(event, false);
            sink.flush();
        });
    }

    private Request stale(Request request, int changes) {
        Map<String, List<String>> query = new LinkedHashMap<>(request.query());
        long version = Math.max(store.oldest(storage()), store.version() - changes);
        query.put("resourceVersion", List.of(Long.toString(Math.max(1, version))));
        query.put("resourceVersionMatch", List.of("Exact"));
        return new Request(request.method(), request.path(), query, request.headers(), request.body());
    }

    private String storage() {
        return target.group().isEmpty() ? target.resource() : target.resource() + "." + target.group();
    }

    private static Response strike(Fault fault, Response response) {
        if (response instanceof Response.Stream stream) {
            return new Response.Stream(
                    stream.contentType(), sink -> stream.events().writeTo(new FaultySink(fault, sink)));
        }
        if (fault.effect() instanceof Effect.CutAfterBytes cut && response instanceof Response.Document document) {
            byte[] part = Arrays.copyOf(document.body(), Math.min(cut.bytes(), document.body().length));
            return new Response.Stream(document.contentType(), sink -> {
                sink.send(part, false);
                sink.flush();
                throw new AbortedConnection();
            });
        }
        return response;
    }
}
