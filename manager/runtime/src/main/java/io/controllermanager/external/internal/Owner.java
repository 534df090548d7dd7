package io.controllermanager.external.internal;

import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.ApiException;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The object that is reconciled. Its annotations record what has been done for it. */
public interface Owner {

    /** Its key. */
    Request key();

    /** Its group, kind, namespace and name, in one text. */
    String identity();

    /** When it was created. */
    Instant created();

    /** An annotation as it is now, null if there is none. */
    @Nullable
    String annotation(String name);

    /**
     * Makes sure that the object and an annotation are what the API server has.
     *
     * @throws ApiException 409 if they are not: the cache that they were read from is behind
     */
    void confirm(String name) throws ApiException;

    /**
     * Records what is about to be done, null to remove the annotation.
     *
     * @throws ApiException if it cannot be written; 409 if the object is not as it was when it was read
     */
    void annotate(String name, @Nullable String value) throws ApiException;

    /**
     * Records what has been done, also where others have written the object meanwhile.
     *
     * @throws ApiException if it cannot be written; 409 if others have written the annotation as well, or if it is written and
     *     the object is wanted otherwise by now
     */
    void note(String name, @Nullable String value) throws ApiException;

    /** Has the object reconciled again after this time, whatever comes of this reconcile; zero or less says nothing. */
    void comesAgain(Duration after);

    /** Tells of something in a Warning. */
    void warn(String reason, String message);
}
