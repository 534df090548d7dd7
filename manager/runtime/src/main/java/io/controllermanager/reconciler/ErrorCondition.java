package io.controllermanager.reconciler;

import io.controllermanager.client.ApiStatus;
import io.controllermanager.client.internal.request.FailureMessage;
import io.controllermanager.client.internal.request.RequestFailedException;
import io.controllermanager.controller.internal.FailureCause;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Condition;
import java.io.InterruptedIOException;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What the status says of a reconcile that failed. */
final class ErrorCondition {

    static final String TYPE = "Ready";

    private static final String FALSE = "False";

    /**
     * Begins the message. By it the condition is told from one that a reconciler sets, also by a process that comes after the
     * one that wrote it.
     */
    private static final String FAILED = "reconcile failed: ";

    /** What may differ from one time to the next though it says the same: counts, times, versions, uids. */
    private static final Pattern VARYING =
            Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9]+([.:TZ-][0-9]*)*");

    private ErrorCondition() {}

    /** Whether a condition is one that tells of a failure: the next reconcile that succeeds takes it back. */
    static boolean isOne(@Nullable V1Condition condition) {
        return condition != null
                && TYPE.equals(condition.getType())
                && FALSE.equals(condition.getStatus())
                && condition.getMessage() != null
                && condition.getMessage().startsWith(FAILED);
    }

    /**
     * The condition Ready=False that tells of a failure.
     *
     * @param before the condition so far. Its message stays if it is about the same generation and the new one differs in numbers
     *     only, so that a failure that repeats writes nothing
     * @param generation that of the object, null if its type has none
     * @param lasts whether the object has failed for some time
     * @return null for an interruption, and for what passes by itself and is no fault of the object's: a conflict, an API server
     *     that cannot be reached, is overloaded or fails. That is told once it lasts, and at once if it is not tried again
     */
    static @Nullable StatusCondition of(
            Throwable failure, @Nullable V1Condition before, @Nullable Long generation, boolean lasts) {
        ApiException api = null;
        for (Throwable at : FailureCause.chain(failure)) {
            if (at instanceof InterruptedException || at instanceof InterruptedIOException) {
                return null;
            }
            if (api == null && at instanceof ApiException found) {
                api = found;
            }
        }
        if (api != null && passes(api) && !lasts && !FailureCause.of(failure).terminal()) {
            return null;
        }
        String reason = reason(failure, api);
        String message = FAILED + message(failure, api);
        if (before != null
                && FALSE.equals(before.getStatus())
                && reason.equals(before.getReason())
                && Objects.equals(before.getObservedGeneration(), generation)
                && before.getMessage() != null
                && blurred(message).equals(blurred(before.getMessage()))) {
            return new StatusCondition(TYPE, FALSE, reason, before.getMessage());
        }
        return new StatusCondition(TYPE, FALSE, reason, message);
    }

    /** Whether others have written an object that was to be written. */
    static boolean isConflict(ApiException e) {
        return e.getCode() == 409
                && !(e instanceof FieldConflictException)
                && !ApiStatus.of(e).reason().equals("AlreadyExists");
    }

    private static boolean passes(ApiException e) {
        int code = e.getCode();
        return isConflict(e) || code == 0 || code == 401 || code == 408 || code == 429 || code >= 500;
    }

    private static String reason(Throwable failure, @Nullable ApiException api) {
        if (api != null && !(api instanceof FieldConflictException)) {
            String said = ApiStatus.of(api).reason();
            return said.isEmpty() ? "HTTP" + api.getCode() : said;
        }
        String name = (api == null ? failure : api).getClass().getSimpleName();
        String word = name.endsWith("Exception") ? name.substring(0, name.length() - "Exception".length()) : name;
        return word.matches("[A-Za-z][A-Za-z0-9_]*") ? word : "ReconcileFailed";
    }

    private static String message(Throwable failure, @Nullable ApiException api) {
        boolean ownWords =
                api == null || api instanceof RequestFailedException || api instanceof FieldConflictException;
        return ownWords ? FailureMessage.words(api == null ? failure : api) : FailureMessage.of(failure);
    }

    private static String blurred(String message) {
        return VARYING.matcher(message).replaceAll("#");
    }
}
