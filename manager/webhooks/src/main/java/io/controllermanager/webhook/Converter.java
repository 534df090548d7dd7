package io.controllermanager.webhook;

import io.kubernetes.client.common.KubernetesObject;

/**
 * Converts between a version of a type and its hub, both ways. Where a type has more than two versions, each but the hub has a
 * converter, and two of those are converted into each other through the hub. The hub is any version, whichever is stored. The
 * bean has {@link ConversionWebhook}.
 *
 * <p>The methods are pure functions: they read no cache and call nobody, for the API server waits for them whenever it reads or
 * writes. They are called by several threads. {@code apiVersion}, {@code kind} and {@code metadata} are taken over for them; if
 * the metadata of a result has a name, its labels and annotations are taken. An exception fails the request of the API server's
 * client, with the exception's message.
 *
 * @param <S> the class of the version
 * @param <H> the class of the hub
 */
public interface Converter<S extends KubernetesObject, H extends KubernetesObject> {

    /** The same object as the hub has it. */
    H toHub(S object);

    /** The same object as the version has it. */
    S fromHub(H hub);
}
