package io.controllermanager.reconciler;

import io.kubernetes.client.openapi.models.V1Condition;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a controller says of one aspect of an object, in the words of KEP-1623.
 *
 * @param type the aspect, such as {@code Ready}
 * @param status {@code True}, {@code False} or {@code Unknown}
 * @param reason one UpperCamelCase word, for machines
 * @param message a sentence, for people; empty for none
 */
public record StatusCondition(String type, String status, String reason, String message) {

    private static final Set<String> STATUSES = Set.of("True", "False", "Unknown");

    /**
     * Whether it says something new.
     *
     * @param before what the object said so far, such as {@link Reconciliation#condition(String)}
     */
    public boolean differsFrom(@Nullable V1Condition before) {
        return before == null
                || !status.equals(before.getStatus())
                || !reason.equals(before.getReason())
                || !message.equals(before.getMessage());
    }

    public StatusCondition {
        if (!STATUSES.contains(status)) {
            throw new IllegalArgumentException(
                    "status of condition " + type + " must be True, False or Unknown, but is \"" + status + "\"");
        }
        if (!reason.matches("[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?")) {
            throw new IllegalArgumentException(
                    "reason of condition " + type + " must be one word, but is \"" + reason + "\"");
        }
    }
}
