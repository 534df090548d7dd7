package io.controllermanager.spring.autoconfigure;

import io.kubernetes.client.openapi.ApiClient;

/**
 * Changes the host's API client: a header, an interceptor, a proxy. Called once, when the client is made. Where the API
 * server is and the credentials are set later, when the host starts.
 */
@FunctionalInterface
public interface ApiClientCustomizer {

    /** Changes the client. */
    void customize(ApiClient client);
}
