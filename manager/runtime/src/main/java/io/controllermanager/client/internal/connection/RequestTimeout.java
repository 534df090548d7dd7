package io.controllermanager.client.internal.connection;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import okhttp3.Response;

/** Limits the silence before and within the answer to a request; once open, a stream may be silent for as long as it likes. */
record RequestTimeout(Duration limit) implements HostInterceptor {

    @Override
    public Response intercept(Chain chain) throws IOException {
        Response response = chain.withReadTimeout((int) limit.toMillis(), TimeUnit.MILLISECONDS)
                .proceed(chain.request());
        if (HostInterceptor.streams(chain.request()) && response.isSuccessful()) {
            response.body().source().timeout().clearTimeout();
        }
        return response;
    }
}
