package io.controllermanager.testing.apiserver.faults;

import io.controllermanager.testing.apiserver.http.AbortedConnection;
import io.controllermanager.testing.apiserver.http.Response;
import java.io.IOException;
import java.util.Arrays;

/** A stream with a fault in it. */
final class FaultySink implements Response.Sink {

    private final Fault fault;
    private final Response.Sink sink;
    private int events;
    private int bytes;

    FaultySink(Fault fault, Response.Sink sink) {
        this.fault = fault;
        this.sink = sink;
    }

    @Override
    public void send(byte[] event, boolean bookmark) throws IOException {
        if (fault.effect() instanceof Effect.HangAfter hang && events >= hang.events()) {
            sink.flush();
            hold(Long.MAX_VALUE);
        } else if (fault.effect() instanceof Effect.CutAfterEvents cut && events >= cut.events()) {
            abort();
        } else if (fault.effect() instanceof Effect.CutAfterBytes cut && bytes + event.length > cut.bytes()) {
            sink.send(Arrays.copyOf(event, cut.bytes() - bytes), bookmark);
            abort();
        }
        int copies = bookmark && fault.effect() instanceof Effect.Bookmarks bookmarks ? bookmarks.copies() : 1;
        for (int i = 0; i < copies; i++) {
            sink.send(event, bookmark);
        }
        events++;
        bytes += event.length;
        if (fault.effect() instanceof Effect.Slow slow) {
            sink.flush();
            hold(slow.pause().toNanos());
        } else if (fault.effect() instanceof Effect.CutAfterEvents cut && events >= cut.events()) {
            abort();
        }
    }

    private void abort() throws IOException {
        sink.flush();
        throw new AbortedConnection();
    }

    private void hold(long nanos) throws IOException {
        try {
            fault.hold(nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AbortedConnection();
        }
    }

    @Override
    public void flush() throws IOException {
        sink.flush();
    }
}
