package io.controllermanager.client.internal.connection;

import org.jspecify.annotations.Nullable;

/**
 * What is known of the API server from how requests and probes ended: whether it can be reached, and whether it takes our
 * credentials. A value; each event gives the next one.
 *
 * <p>A request alone decides little: one that failed may have met a proxy's mood, and one that got 401 may have been passed
 * on to a server behind the API server. It raises the question; probes ({@code GET /readyz}) answer it.
 *
 * @param state what is known
 * @param refusals how many probes in a row were answered by "you may not ask"
 * @param requests how requests have fared since the question was raised
 * @param error what was wrong with the API server the last time that something was, such as {@code cannot be reached:
 *     connection refused}; null if nothing ever was
 */
record Availability(
        State state,
        int refusals,
        Requests requests,
        @Nullable String error) {

    /** How many answers in a row that say "you may not ask" count: about as long as RBAC takes to load. */
    static final int REFUSALS_THAT_COUNT = 5;

    /** Nothing has happened yet. */
    static final Availability UNQUESTIONED = new Availability(State.REACHABLE, 0, Requests.NONE, null);

    enum State {
        REACHABLE,
        /** A request failed or got 401; probes will tell. */
        SUSPECT,
        UNREACHABLE,
        /** It answers 401 to all that comes from us. */
        REFUSING
    }

    /** Answers that tell whether our credentials are taken. */
    enum Requests {
        NONE,
        ALL_REFUSED,
        /** At least one got another answer than 401, so that it is not the credentials. */
        SOME_ACCEPTED
    }

    /** A request failed below HTTP or with a server error, or somebody has another reason for doubt. */
    Availability failed() {
        return state == State.REACHABLE ? new Availability(State.SUSPECT, 0, Requests.NONE, error) : this;
    }

    /** A request got 401. */
    Availability refused() {
        if (state == State.REACHABLE) {
            return new Availability(State.SUSPECT, 0, Requests.ALL_REFUSED, error);
        }
        return requests == Requests.NONE ? new Availability(state, refusals, Requests.ALL_REFUSED, error) : this;
    }

    /** A request got an answer that the API server gives to nobody whom it does not know. */
    Availability accepted() {
        return switch (state) {
            case REACHABLE -> this;
            case REFUSING -> reachable();
            case SUSPECT, UNREACHABLE -> new Availability(state, refusals, Requests.SOME_ACCEPTED, error);
        };
    }

    /** A probe got an answer. */
    Availability probed(int code) {
        boolean refusal = code == 401 || code == 403 || code == 404;
        if (state == State.REACHABLE) {
            return this;
        }
        if (!refusal) {
            return code == 200 ? reachable() : unreachable(answers(code));
        }
        if (state == State.REFUSING) {
            return code == 401 ? this : reachable();
        }
        if (refusals + 1 < REFUSALS_THAT_COUNT) {
            return new Availability(state, refusals + 1, requests, answers(code));
        }
        return code == 401 && requests == Requests.ALL_REFUSED
                ? new Availability(State.REFUSING, 0, requests, error)
                : reachable();
    }

    /** A probe got no answer: what is wrong with the API server by that. */
    Availability unanswered(String what) {
        return state == State.REACHABLE ? this : unreachable(what);
    }

    private static String answers(int code) {
        String what = code == 429 ? "is overloaded" : code >= 500 ? "is not ready" : "cannot be asked";
        return what + ": GET /readyz answers HTTP " + code;
    }

    private Availability reachable() {
        return new Availability(State.REACHABLE, 0, Requests.NONE, error);
    }

    private Availability unreachable(String reason) {
        return new Availability(State.UNREACHABLE, 0, requests, reason);
    }
}
