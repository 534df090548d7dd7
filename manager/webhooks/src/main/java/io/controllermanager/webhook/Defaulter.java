package io.controllermanager.webhook;

import io.kubernetes.client.common.KubernetesObject;

/**
 * Fills in what a schema's default cannot, such as one that depends on another object. The bean has {@link MutatingWebhook}. It
 * must leave an object as it is that it has changed before, since the API server may ask twice.
 *
 * <p>Called by several threads, each while a user waits. An exception refuses the write if the webhook's failure policy says so.
 *
 * @param <T> the objects' class
 */
@FunctionalInterface
public interface Defaulter<T extends KubernetesObject> {

    /** Names the types that it reads from caches. It is called without the constructor while the project is built. */
    default void describe(WebhookDescription description) {}

    /**
     * The object with its defaults.
     *
     * @param object a copy for this call, which may be changed and returned
     */
    T withDefaults(T object, Admission<T> admission);
}
