package io.controllermanager.apiserver.http;

import com.fasterxml.jackson.databind.JsonNode;
import io.controllermanager.apiserver.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** What a request is answered with. */
public sealed interface Response {

    /** An answer that is there as a whole. The warnings are texts for {@code Warning} headers. */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    record Document(int code, byte[] body, String contentType, List<String> warnings) implements Response {

        /** The same with one more warning, which comes first. */
        public Document with(String warning) {
            List<String> more = new ArrayList<>(List.of(warning));
            more.addAll(warnings);
            return new Document(code, body, contentType, more);
        }
    }

    /** An answer whose end is not known yet. */
    record Stream(String contentType, Events events) implements Response {}

    /** What a stream is made of. */
    @FunctionalInterface
    interface Events {

        /** Writes events until there are no more to come or the client is gone. */
        void writeTo(Sink sink) throws IOException, InterruptedException;
    }

    /** Takes a stream's events. */
    interface Sink {

        /**
         * Sends an event, at the next {@link #flush} at the latest.
         *
         * @param bookmark whether it says no more than how far the client has seen everything
         */
        void send(byte[] event, boolean bookmark) throws IOException, InterruptedException;

        void flush() throws IOException;
    }

    static Response json(int code, JsonNode body) {
        return new Document(code, Json.write(body), MediaTypes.JSON, List.of());
    }

    static Response text(int code, String body) {
        return new Document(code, body.getBytes(StandardCharsets.UTF_8), "text/plain", List.of());
    }

    static Response error(StatusException e) {
        return json(e.code(), e.status());
    }
}
