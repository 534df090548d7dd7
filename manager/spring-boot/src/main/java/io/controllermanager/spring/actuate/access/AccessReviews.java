package io.controllermanager.spring.actuate.access;

import org.jspecify.annotations.Nullable;

/** Knows whose a token is and who may do what. Safe for use by several threads; its calls wait for the answer. */
public interface AccessReviews {

    /**
     * Says whose token it is.
     *
     * @return null if it is nobody's: wrong, expired, revoked, or for another audience
     * @throws ReviewFailedException if that cannot be found out now
     */
    @Nullable
    Caller authenticate(String token) throws ReviewFailedException;

    /**
     * Says whether somebody may use a verb on a path.
     *
     * @param verb the HTTP method in lower case
     * @param path the path of the URL
     * @throws ReviewFailedException if that cannot be found out now
     */
    boolean isAllowed(Caller caller, String verb, String path) throws ReviewFailedException;
}
