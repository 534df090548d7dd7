package io.controllermanager.client.internal.connection;

import java.io.IOException;
import okhttp3.Response;

/** Says who asks; the API server writes it into its audit log. */
record UserAgent(String name) implements HostInterceptor {

    @Override
    public Response intercept(Chain chain) throws IOException {
        return chain.proceed(
                chain.request().newBuilder().header("User-Agent", name).build());
    }
}
