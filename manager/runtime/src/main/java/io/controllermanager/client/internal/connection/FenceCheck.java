package io.controllermanager.client.internal.connection;

import java.io.IOException;
import java.util.function.Supplier;
import okhttp3.Response;

/**
 * Asks the fence before each request that may change something. Comes after whatever may hold a request back, and once more
 * when it has a connection: making one may take longer than leadership lasts, and OkHttp sends some requests anew by itself.
 */
record FenceCheck(Supplier<WriteFence> fence) implements HostInterceptor {

    @Override
    public Response intercept(Chain chain) throws IOException {
        if (HostInterceptor.mutates(chain.request())) {
            fence.get().checkWrite();
        }
        return chain.proceed(chain.request());
    }
}
