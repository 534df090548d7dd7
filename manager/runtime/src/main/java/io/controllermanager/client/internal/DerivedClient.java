package io.controllermanager.client.internal;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.auth.ApiKeyAuth;
import java.util.function.Consumer;
import okhttp3.OkHttpClient;

/**
 * A client that differs from the shared one in a few ways, and otherwise is what that one is at the moment: server, TLS,
 * credentials.
 *
 * @param apiClient the client, the same as long as the connection lives
 * @param changes what is different
 */
record DerivedClient(ApiClient apiClient, Consumer<OkHttpClient.Builder> changes) {

    /** Takes over what the shared client is now. */
    void follow(ApiClient shared) {
        OkHttpClient.Builder http = shared.getHttpClient().newBuilder();
        changes.accept(http);
        apiClient.setHttpClient(http.build());
        apiClient.setBasePath(shared.getBasePath());
        if (shared.getAuthentication("BearerToken") instanceof ApiKeyAuth from
                && apiClient.getAuthentication("BearerToken") instanceof ApiKeyAuth to) {
            to.setApiKey(from.getApiKey());
            to.setApiKeyPrefix(from.getApiKeyPrefix());
        }
    }
}
