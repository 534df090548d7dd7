package io.controllermanager.external.internal;

import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.ApiException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The object whose things are kept, while it is reconciled. */
public interface Owner {

    /** Its key. */
    Request key();

    /** Its group, kind, namespace and name, in one text. */
    String identity();

    /** An annotation as it is now, null if there is none. */
    @Nullable
    String annotation(String name);

    /**
     * Writes an annotation, null to remove it.
     *
     * @throws ApiException if it cannot be written; 409 if the object is not as it was when it was read
     */
    void annotate(String name, @Nullable String value) throws ApiException;

    /**
     * Makes sure that an annotation is what the API server has.
     *
     * @throws ApiException 409 if it is not: the cache that it was read from is behind
     */
    void confirm(String name) throws ApiException;

    /** Has the object reconciled again after this time, whatever comes of this reconcile; zero or less says nothing. */
    void comesAgain(Duration after);
}
