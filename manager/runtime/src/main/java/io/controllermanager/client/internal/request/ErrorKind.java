package io.controllermanager.client.internal.request;

import com.google.gson.JsonParseException;
import com.google.gson.stream.MalformedJsonException;
import io.kubernetes.client.openapi.ApiException;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/**
 * What an error of a list or a watch means, and what the reflector does about it. As client-go's {@code
 * isExpiredError} and {@code isWatchErrorRetriable} in {@code tools/cache/reflector.go}. docs/informers.md explains it.
 */
public enum ErrorKind {
    /** The API server no longer knows the point where the watch was to go on. */
    EXPIRED,
    /** The API server is behind what has been seen: another replica of it, or an etcd restored from a backup. */
    TOO_LARGE_VERSION,
    /** The request makes no sense to the API server, or it has no such thing as this watch. */
    INVALID,
    /** The credentials are not accepted. */
    UNAUTHORIZED,
    /** A permission is missing. */
    FORBIDDEN,
    /** The type is not served: its CRD is missing, or has this version switched off. */
    NOT_SERVED,
    /** The API server has too much to do. It may say when to ask again. */
    TURNED_AWAY,
    /** There was no answer, or the connection broke off. */
    NO_ANSWER,
    /** Any other error, such as an answer that makes no sense. */
    OTHER;

    /** What the reflector does next. */
    public enum Reaction {
        /** Read the collection again, at once. */
        READ_AGAIN,
        /** The same after a wait. */
        READ_AGAIN_LATER,
        /** Do the same again once the type is served. */
        AWAIT_TYPE,
        /** Do the same again, at once. */
        RETRY,
        /** The same after a wait: as long as the API server asks, else the backoff. */
        RETRY_LATER
    }

    /** Classifies an exception. One that is not of a request, such as a transform's own, is {@link #OTHER}. */
    public static ErrorKind of(Exception e) {
        boolean ofRequest = e instanceof ApiException || e instanceof IOException || e instanceof UncheckedIOException;
        boolean senseless = e.getCause() instanceof JsonParseException
                || e.getCause() instanceof MalformedJsonException
                || e.getCause() instanceof GarbledStreamException;
        return ofRequest && !senseless ? of(code(e), e.getMessage()) : OTHER;
    }

    /** The HTTP status, 0 if there was no answer. */
    public static int code(Exception e) {
        return e instanceof ApiException api ? api.getCode() : 0;
    }

    /**
     * Classifies an error.
     *
     * @param code as an HTTP status, 0 if there was no answer
     */
    public static ErrorKind of(int code, @Nullable String message) {
        String said = String.valueOf(message);
        if (code == 410
                || said.contains("too old resource version")
                || said.contains("required revision has been compacted")) {
            return EXPIRED;
        }
        return switch (code) {
            case 0 -> NO_ANSWER;
            case 400, 405, 422, 501 -> INVALID;
            case 401 -> UNAUTHORIZED;
            case 403 -> FORBIDDEN;
            case 404 -> NOT_SERVED;
            case 429 -> TURNED_AWAY;
            case 500, 504 -> said.contains("Too large resource version") ? TOO_LARGE_VERSION : OTHER;
            default -> OTHER;
        };
    }

    /**
     * What follows.
     *
     * @param reading whether the collection was being read, rather than watched
     * @param isStale whether the request was sent to an API server that has been away since
     */
    public Reaction reaction(boolean reading, boolean isStale) {
        return switch (this) {
            case EXPIRED -> reading ? Reaction.READ_AGAIN_LATER : Reaction.READ_AGAIN;
            case NOT_SERVED -> Reaction.AWAIT_TYPE;
            default -> isStale ? Reaction.RETRY : Reaction.RETRY_LATER;
        };
    }

    /** Whether the version that was asked for must not be asked for again: the most recent state is read then. */
    public boolean forgetsVersion() {
        return this == EXPIRED || this == TOO_LARGE_VERSION;
    }

    /**
     * Whether a failed WatchList is followed by a list at once, and a failed watch by one after a wait: else the cache is deaf
     * for as long as there is no watch. As in client-go, unless the API server could not be asked or says when to ask again.
     */
    public boolean isBetterListed() {
        return switch (this) {
            case INVALID, FORBIDDEN, NOT_SERVED, OTHER -> true;
            default -> false;
        };
    }
}
