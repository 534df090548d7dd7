package io.controllermanager.controller.internal;

import io.controllermanager.controller.TerminalException;
import io.kubernetes.client.openapi.ApiException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;

/**
 * What a reconcile failed by, as far as two failures have it in common.
 *
 * @param name the class of the exception at the bottom and where it was thrown, or the API server's status code; what it
 *     says is left out, since that differs from key to key and from time to time
 * @param known whether the message tells all: the API server has answered, or could not be reached. Of anything else the
 *     stack trace has to tell
 * @param terminal whether trying again is of no use. As Go's {@code errors.Is}: whatever has wrapped the {@link
 *     TerminalException} on its way, a proxy or a future, does not change what it means
 */
public record FailureCause(String name, boolean known, boolean terminal) {

    /** Chains of causes are short; one that is longer goes in a circle. */
    private static final int DEEPEST = 30;

    /** What a failure was caused by. */
    public static FailureCause of(Throwable failure) {
        List<Throwable> chain = chain(failure);
        boolean terminal = chain.stream().anyMatch(TerminalException.class::isInstance);
        for (Throwable at : chain) {
            if (at instanceof ApiException api && api.getCode() != 0) {
                return new FailureCause("HTTP " + api.getCode(), true, terminal);
            }
        }
        Throwable bottom = chain.get(chain.size() - 1);
        StackTraceElement[] stack = bottom.getStackTrace();
        String name = bottom.getClass().getName() + (stack.length == 0 ? "" : " at " + stack[0]);
        return new FailureCause(name, chain.stream().anyMatch(FailureCause::isConnectionFailure), terminal);
    }

    /** An exception and what has caused it, to the bottom. */
    public static List<Throwable> chain(Throwable failure) {
        return Stream.<Throwable>iterate(failure, Objects::nonNull, Throwable::getCause)
                .limit(DEEPEST)
                .toList();
    }

    /** An IOException of a file, or of what reads JSON, is another matter. */
    private static boolean isConnectionFailure(Throwable failure) {
        return failure instanceof SocketException
                || failure instanceof UnknownHostException
                || failure instanceof InterruptedIOException
                || failure instanceof SSLException
                || (failure instanceof ApiException && failure.getCause() instanceof IOException);
    }
}
