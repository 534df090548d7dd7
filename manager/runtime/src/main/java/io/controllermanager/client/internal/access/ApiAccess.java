package io.controllermanager.client.internal.access;

import io.controllermanager.client.internal.transport.ApiAccessException;
import io.kubernetes.client.openapi.ApiClient;
import org.jspecify.annotations.Nullable;

/** Where the API server is, and with which credentials it is asked. Found by an {@link ApiAccessResolver}. */
public interface ApiAccess {

    /** The API server's URL without a trailing slash. */
    String server();

    /** The namespace of the kubeconfig's context or of the pod, null where neither names one. */
    @Nullable
    String namespace();

    /** Where this was found, such as {@code kubeconfig /etc/foo.kubeconfig}, for logs and messages. */
    String source();

    /**
     * Points an existing client at the API server, in place: base path, TLS trust, client certificate, bearer token.
     * Interceptors and timeouts that the client has stay. May be called again, for another access too.
     *
     * @throws ApiAccessException if a file or plugin that the credentials come from is of no use
     */
    void configure(ApiClient target);
}
