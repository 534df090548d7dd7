package io.controllermanager.webhook;

import io.kubernetes.client.common.KubernetesObject;

/**
 * Refuses what a schema cannot. The bean has {@link ValidatingWebhook}. The API server asks for those operations alone whose
 * methods the class has; it asks before the object is stored, and again for each try of the same write. So nothing may be
 * written here or outside.
 *
 * <p>Called by several threads, each while a user waits. An exception refuses the write if the webhook's failure policy says so.
 *
 * @param <T> the objects' class
 */
public interface Validator<T extends KubernetesObject> {

    /** Names the types that it reads from caches. It is called without the constructor while the project is built. */
    default void describe(WebhookDescription description) {}

    /** Whether the object may be made. */
    default Verdict create(T object, Admission<T> admission) {
        return Verdict.allowed();
    }

    /** Whether the object may be changed; this is not asked for its status. */
    default Verdict update(T object, T before, Admission<T> admission) {
        return Verdict.allowed();
    }

    /** Whether the object may be deleted. */
    default Verdict delete(T object, Admission<T> admission) {
        return Verdict.allowed();
    }
}
