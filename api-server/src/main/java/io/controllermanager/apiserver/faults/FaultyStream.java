package io.controllermanager.apiserver.faults;

import io.controllermanager.apiserver.faults.Fault.Strike;
import io.controllermanager.apiserver.http.Response;
import java.io.IOException;

/** What a fault does to a stream. One is made for each. */
final class FaultyStream implements Response.Sink {

    /** What becomes of one event. */
    @FunctionalInterface
    interface Interference {

        /**
         * Sends an event, or does not.
         *
         * @param before how many came before it
         */
        void send(Strike strike, int before, byte[] event, boolean bookmark, Response.Sink sink)
                throws IOException, InterruptedException;
    }

    private final Strike strike;
    private final Interference interference;
    private final Response.Sink sink;
    private int events;

    private FaultyStream(Strike strike, Interference interference, Response.Sink sink) {
        this.strike = strike;
        this.interference = interference;
        this.sink = sink;
    }

    /** Lets something interfere with an answer, if it is a stream. */
    static Response of(Strike strike, Response response, Interference interference) {
        return response instanceof Response.Stream stream
                ? new Response.Stream(
                        stream.contentType(),
                        sink -> stream.events().writeTo(new FaultyStream(strike, interference, sink)))
                : response;
    }

    @Override
    public void send(byte[] event, boolean bookmark) throws IOException, InterruptedException {
        interference.send(strike, events++, event, bookmark, sink);
    }

    @Override
    public void flush() throws IOException {
        sink.flush();
    }
}
