package io.controllermanager.test;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceType;
import io.kubernetes.client.common.KubernetesObject;
import java.time.Duration;

/** What a {@link Scenario} acts on. For use by the thread that plays it. */
public interface Stage {

    /** The server, to set faults or look at it. */
    ApiServer server();

    /** A user's client, who may do everything and is disturbed by nothing. */
    <T extends KubernetesObject> ResourceClient<T> client(ResourceType<T> type);

    /** Waits until the controllers have converged, as {@link RunningManager#converges} does. */
    void converges();

    /** Lets virtual time pass, as {@link RunningManager#advance} does. */
    void advance(Duration duration);
}
