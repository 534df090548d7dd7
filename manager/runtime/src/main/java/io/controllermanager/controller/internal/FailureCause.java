package io.controllermanager.controller.internal;

import io.controllermanager.controller.TerminalException;
import io.kubernetes.client.openapi.ApiException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketException;
import java.net.UnknownHostException;
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
record FailureCause(String name, boolean known, boolean terminal) {

    /** Chains of causes are short; one that is longer goes in a circle. */
    private static final int DEEPEST = 30;

    static FailureCause of(Throwable failure) {
        Throwable bottom = failure;
        boolean connection = false;
        boolean terminal = false;
        String answer = null;
        Throwable at = failure;
        for (int depth = 0; at != null && depth < DEEPEST; depth++) {
            if (answer == null && at instanceof ApiException api && api.getCode() != 0) {
                answer = "HTTP " + api.getCode();
            }
            terminal |= at instanceof TerminalException;
            connection |= isConnectionFailure(at);
            bottom = at;
            at = at.getCause();
        }
        if (answer != null) {
            return new FailureCause(answer, true, terminal);
        }
        StackTraceElement[] stack = bottom.getStackTrace();
        String name = bottom.getClass().getName() + (stack.length == 0 ? "" : " at " + stack[0]);
        return new FailureCause(name, connection, terminal);
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
