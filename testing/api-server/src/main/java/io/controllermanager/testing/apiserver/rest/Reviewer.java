package io.controllermanager.testing.apiserver.rest;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Answers what is sent to be answered, and not to be stored: reviews, and requests for tokens. For use by any thread. */
@FunctionalInterface
public interface Reviewer {

    /**
     * Answers one.
     *
     * @param asked the object that was sent, which may become the answer
     */
    ObjectNode answer(ResourceRequest request, ObjectNode asked);
}
