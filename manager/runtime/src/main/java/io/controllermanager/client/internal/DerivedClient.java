package io.controllermanager.client.internal;

import io.kubernetes.client.openapi.ApiClient;
import java.util.function.Consumer;
import okhttp3.OkHttpClient;

/**
 * A client that differs from the shared one in a few ways, and otherwise is what that one is at the moment: server, TLS,
 * credentials.
 *
 * @param apiClient the client, the same as long as the connection lives
 * @param changes what is different
 */
record DerivedClient(HostClient apiClient, Consumer<OkHttpClient.Builder> changes) {

    /** Takes over what the shared client is now; credentials come by following. */
    void follow(ApiClient shared) {
        OkHttpClient.Builder http = shared.getHttpClient().newBuilder();
        changes.accept(http);
        apiClient.setHttpClient(http.build()).setBasePath(shared.getBasePath());
    }
}
