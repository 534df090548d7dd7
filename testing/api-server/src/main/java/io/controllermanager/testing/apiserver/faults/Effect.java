package io.controllermanager.testing.apiserver.faults;

import java.time.Duration;

/** What a fault does to a request. */
sealed interface Effect {

    /** The answer comes later. */
    record Delay(Duration time) implements Effect {}

    /** No answer comes, and the connection stays. */
    record Hang() implements Effect {}

    /** The stream falls silent, and the connection stays. */
    record HangAfter(int events) implements Effect {}

    /** The server refuses. */
    record Respond(int code, Duration retryAfter) implements Effect {}

    /** The connection is cut in the middle of the answer. */
    record CutAfterBytes(int bytes) implements Effect {}

    /** The connection is cut in the middle of the stream. */
    record CutAfterEvents(int events) implements Effect {}

    /** A list shows the past. */
    record Stale(int changes) implements Effect {}

    /** The history that the request needs is gone. */
    record Gone() implements Effect {}

    /** Each bookmark comes this many times. */
    record Bookmarks(int copies) implements Effect {}

    /** Events are sent one at a time with a pause after each. */
    record Slow(Duration pause) implements Effect {}
}
