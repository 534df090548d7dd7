package io.controllermanager.test;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.apiserver.ApiServerBuilder;
import io.controllermanager.controller.ControllerDescriptor;
import io.kubernetes.client.openapi.ApiException;
import java.util.List;

/**
 * What a user does, and the controllers that are to make something of it. It is played many times, each time by a new one of
 * these, on a new server and in virtual time, so that a field of the class can stand for a world outside of Kubernetes.
 */
public interface Scenario {

    /** The server at the beginning, with its CRDs; by default one with built-in types alone. Its clock is set by the play. */
    default ApiServerBuilder server() {
        return ApiServer.builder();
    }

    /**
     * The controllers of one process, which run with as many workers as they say. Asked for anew for each process: one that is
     * lost takes its memory with it.
     */
    List<ControllerDescriptor> controllers();

    /**
     * What the user does. The controllers converge at its end in any case; {@link Stage#converges} has them do so in between.
     */
    void play(Stage stage) throws ApiException;

    /**
     * What else has to end alike, such as the records of a DNS provider that the test stands in for; compared by {@code
     * equals} and told of by {@code toString}. By default nothing.
     */
    default Object outside() {
        return "";
    }

    /**
     * Takes out of an object, in place, what may differ from one run to the next. Gone already are resourceVersion, uid,
     * generation and managedFields; every time of day reads the same, and every hash of what was applied; owners are told by
     * kind and name, and a dead owner as such; an {@code observedGeneration} tells whether it is the current one. Events and
     * Leases are not compared at all.
     */
    default void normalise(ObjectNode object) {}
}
