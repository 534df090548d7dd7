package io.controllermanager.test;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.apiserver.json.Json;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import okhttp3.Interceptor;
import okhttp3.MediaType;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.ResponseBody;

/**
 * What lies between the controllers of a play and its server: notes their writes and does something to one of them. One write is
 * sent at a time, so that there is a moment after each at which nothing is under way. For use by any thread.
 */
final class Wire {

    /** What is done to writes. */
    @FunctionalInterface
    interface Mishap {

        /** Nothing. */
        Mishap NONE = (write, attempt) -> attempt.send();

        /** Carries out a write or not. Called for one write at a time. */
        Response meet(SentWrite write, Attempt attempt) throws IOException;

        /**
         * Carries out a write to the system outside or not. Called for one write at a time.
         *
         * @param lose loses the process
         */
        default void outside(SentWrite write, Runnable effect, Supplier<ProcessLost> lose) throws IOException {
            effect.run();
        }

        /** Called each time that the controllers are about to be waited for. By default nothing. */
        default void meanwhile(ApiServer server) {}
    }

    /** Thrown through a reconciler by a process that is lost; no {@code catch (Exception)} keeps it. */
    @SuppressWarnings("serial")
    static final class ProcessLost extends Error {
        ProcessLost() {
            super("the test has this process lost here", null, false, false);
        }
    }

    private final Mishap mishap;
    private final Lock oneAtATime = new ReentrantLock();
    private final List<SentWrite> writes = new CopyOnWriteArrayList<>();
    private final List<SentWrite> outside = new CopyOnWriteArrayList<>();

    Wire(Mishap mishap) {
        this.mishap = mishap;
    }

    /** The writes so far. */
    List<SentWrite> writes() {
        return List.copyOf(writes);
    }

    /** The writes to the system outside so far. */
    List<SentWrite> outside() {
        return List.copyOf(outside);
    }

    /** One process's end of it, until that is lost. */
    End process() {
        return new End(this);
    }

    /** A write under way, and what can be made of it. */
    interface Attempt {

        /** Has the server carry out the write. */
        Response send() throws IOException;

        /** Answers in the server's place, with a Status. */
        Response answer(int code, String reason);

        /**
         * Has somebody else set an annotation.
         *
         * @param path the object's own
         * @return whether there is such an object
         */
        boolean annotate(String path, String annotation) throws IOException;

        /** An object as it is; missing if there is none. */
        JsonNode read(String path) throws IOException;

        /** Loses the process: nothing that it asks from now on gets anywhere. Returns never. */
        ProcessLost lose();
    }

    /** The end of the wire in a process. */
    static final class End implements Interceptor {

        private final Wire wire;
        private volatile boolean lost;

        End(Wire wire) {
            this.wire = wire;
        }

        boolean isLost() {
            return lost;
        }

        @Override
        public Response intercept(Chain chain) throws IOException {
            SentWrite write = SentWrite.of(chain.request());
            if (write != null) {
                return write(write, chain);
            }
            if (lost) {
                throw new IOException("the test has this process lost");
            }
            return chain.proceed(chain.request());
        }

        /** Lets a write to the system outside through. */
        void outside(String call, Runnable effect) throws IOException {
            wire.oneAtATime.lock();
            try {
                if (lost) {
                    throw new ProcessLost();
                }
                SentWrite next = new SentWrite("OUTSIDE", "", call, 1).after(wire.outside);
                wire.outside.add(next);
                wire.mishap.outside(next, effect, this::lose);
            } finally {
                wire.oneAtATime.unlock();
            }
        }

        private ProcessLost lose() {
            lost = true;
            return new ProcessLost();
        }

        private Response write(SentWrite write, Chain chain) throws IOException {
            wire.oneAtATime.lock();
            try {
                if (lost) {
                    throw new ProcessLost();
                }
                SentWrite next = write.after(wire.writes);
                wire.writes.add(next);
                return wire.mishap.meet(next, new Sending(this, chain));
            } finally {
                wire.oneAtATime.unlock();
            }
        }
    }

    private record Sending(End end, Interceptor.Chain chain) implements Attempt {

        @Override
        public Response send() throws IOException {
            try (Response response = chain.proceed(chain.request())) {
                // Read to its end, so that another request can be sent before this one's answer is handed on.
                return response.newBuilder()
                        .body(ResponseBody.create(
                                response.body().bytes(), response.body().contentType()))
                        .build();
            }
        }

        @Override
        public Response answer(int code, String reason) {
            String status = """
                    {"kind":"Status","apiVersion":"v1","status":"Failure","code":%d,"reason":"%s",\
                    "message":"refused by the test"}""".formatted(code, reason);
            return new Response.Builder()
                    .request(chain.request())
                    .protocol(Protocol.HTTP_1_1)
                    .code(code)
                    .message(reason)
                    .body(ResponseBody.create(status, MediaType.get("application/json")))
                    .build();
        }

        @Override
        public boolean annotate(String path, String annotation) throws IOException {
            String patch = "{\"metadata\":{\"annotations\":{\"" + annotation + "\":\"set\"}}}";
            return !ask(request(path).patch(RequestBody.create(patch, MediaType.get("application/merge-patch+json"))))
                    .isMissingNode();
        }

        @Override
        public JsonNode read(String path) throws IOException {
            return ask(request(path).get());
        }

        /** One of another writer. */
        private Request.Builder request(String path) {
            return chain.request()
                    .newBuilder()
                    .url(chain.request()
                            .url()
                            .newBuilder()
                            .encodedPath(path)
                            .query("fieldManager=another-writer")
                            .build())
                    .header("User-Agent", "another-writer")
                    .header("Accept", "application/json");
        }

        private JsonNode ask(Request.Builder request) throws IOException {
            try (Response response = chain.proceed(request.build())) {
                return response.isSuccessful() ? Json.read(response.body().bytes()) : MissingNode.getInstance();
            }
        }

        @Override
        public ProcessLost lose() {
            return end.lose();
        }
    }
}
