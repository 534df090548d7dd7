package io.controllermanager.test;

import io.controllermanager.apiserver.ApiServer;
import io.kubernetes.client.common.KubernetesObject;
import org.jspecify.annotations.Nullable;

/** AssertJ's way in, beside {@code Assertions.assertThat}: both may be imported statically. */
public final class KubernetesAssertions {

    private KubernetesAssertions() {}

    /** Looks at an object of any class that client-java's Gson writes: built-in, a {@code CustomObject}, or a record. */
    public static KubernetesObjectAssert assertThat(@Nullable KubernetesObject actual) {
        return new KubernetesObjectAssert(actual);
    }

    /**
     * Looks at the Events on the embedded API server. They are written in the background: put this into {@code
     * await().untilAsserted(...)}.
     */
    public static EventsAssert assertThatEvents(ApiServer server) {
        return new EventsAssert(server);
    }
}
