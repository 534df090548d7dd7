package io.controllermanager.client.internal.connection;

import com.google.gson.JsonObject;
import io.controllermanager.client.internal.request.ResourcePath;
import okhttp3.Request;

/**
 * Is shown what the API server has answered to this process's writes, before whoever wrote sees it. It sees every write
 * that goes through the host's {@link io.kubernetes.client.openapi.ApiClient} or a client derived from it, whichever
 * classes made the request: {@code ResourceClient}, client-java's generated APIs, {@code GenericKubernetesApi}. It does not
 * see the traffic of Leases and Events.
 *
 * <p>Called on the writing thread, so it has to be quick, and by several at a time.
 */
public interface WriteObserver {

    /** Whether it wants the answer to this request to this path, which has succeeded. */
    boolean observes(Request request, ResourcePath path);

    /**
     * A write has succeeded.
     *
     * @param request what was sent
     * @param path what was written
     * @param answer the answer's body, which others read too; not to be changed
     */
    void written(Request request, ResourcePath path, JsonObject answer);
}
