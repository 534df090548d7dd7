package io.controllermanager.apiserver.rest;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.faults.RequestTarget;
import io.controllermanager.apiserver.http.Request;
import io.controllermanager.apiserver.http.StatusException;
import org.jspecify.annotations.Nullable;

/** Says whether whoever sends a request may do something. For use by any thread. */
public interface Authorizer {

    /**
     * Refuses what the request's user has no right to.
     *
     * @param target what the request does
     * @throws StatusException 403; 401 if its credentials are no good
     */
    void check(Request request, RequestTarget target);

    /** Who sends a request, as {@code UserInfo} has it. */
    ObjectNode sender(Request request);

    /**
     * Refuses a role or a binding that would give rights that the request's user does not have himself. What is written
     * otherwise is none of these, and passes.
     *
     * @param before null for a creation
     * @throws StatusException 403
     */
    void checkGrant(ResourceRequest request, @Nullable ObjectNode before, ObjectNode after);
}
