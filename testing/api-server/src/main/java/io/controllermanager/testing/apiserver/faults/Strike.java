package io.controllermanager.testing.apiserver.faults;

import io.controllermanager.testing.apiserver.http.AbortedConnection;
import io.controllermanager.testing.apiserver.http.Response;
import java.io.IOException;
import java.time.Duration;

/** One fault in the way of one request. For the request's thread. */
final class Strike {

    private final Fault fault;
    private boolean acted;

    Strike(Fault fault) {
        this.fault = fault;
    }

    /** To be asked at the moment of acting: whether the fault still does. The first yes counts. */
    boolean acts() {
        if (!acted) {
            acted = fault.take();
            return acted;
        }
        return !fault.isRemoved();
    }

    /** Waits until the fault is removed. */
    void hold() throws InterruptedException {
        fault.hold();
    }

    /** Waits until the time is over, or the fault removed before. */
    void hold(Duration time) throws InterruptedException {
        fault.hold(time);
    }

    /** Sends what a sink has, and cuts. */
    static AbortedConnection cut(Response.Sink sink) throws IOException {
        sink.flush();
        return new AbortedConnection();
    }
}
