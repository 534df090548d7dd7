package io.controllermanager.client.internal.connection;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.Pair;
import java.net.URI;
import java.util.List;
import java.util.Map;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import org.jspecify.annotations.Nullable;

/**
 * A client that the host has made. It may follow another: then it has that one's server, and sends that one's credentials and
 * default headers as they are at the moment, beside its own. The other is never changed.
 */
public final class HostClient extends ApiClient {

    private final @Nullable ApiClient followed;

    HostClient(OkHttpClient http, @Nullable ApiClient followed) {
        super(FenceCheck.noting(http));
        this.followed = followed;
        if (followed != null) {
            setJSON(followed.getJSON()).setBasePath(followed.getBasePath());
        }
    }

    @Override
    public ApiClient setHttpClient(OkHttpClient http) {
        return super.setHttpClient(FenceCheck.noting(http));
    }

    @Override
    public void updateParamsForAuth(
            String[] names,
            List<Pair> query,
            Map<String, String> headers,
            Map<String, String> cookies,
            @Nullable String payload,
            String method,
            @Nullable URI uri)
            throws ApiException {
        if (followed != null) {
            followed.updateParamsForAuth(names, query, headers, cookies, payload, method, uri);
        }
        super.updateParamsForAuth(names, query, headers, cookies, payload, method, uri);
    }

    @Override
    public void processHeaderParams(Map<String, String> headers, Request.Builder request) {
        if (followed != null) {
            followed.processHeaderParams(headers, request);
        }
        super.processHeaderParams(headers, request);
    }
}
