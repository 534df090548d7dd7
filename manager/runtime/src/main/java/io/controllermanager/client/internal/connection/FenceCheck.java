package io.controllermanager.client.internal.connection;

import java.io.IOException;
import java.util.function.Supplier;
import okhttp3.Call;
import okhttp3.EventListener;
import okhttp3.OkHttpClient;
import okhttp3.Response;

/**
 * Asks the fence before each request that may change something. Comes after whatever may hold a request back, and once more
 * when it has a connection: making one may take longer than leadership lasts, and OkHttp sends some requests anew by itself.
 * The fence is that which is in force where the call is made; OkHttp may send it on a thread of its own.
 */
record FenceCheck(Supplier<WriteFence> fence) implements HostInterceptor {

    @Override
    public Response intercept(Chain chain) throws IOException {
        if (HostInterceptor.mutates(chain.request())) {
            WriteFence made = chain.call().tag(WriteFence.class);
            (made == null ? fence.get() : made).checkWrite();
        }
        return chain.proceed(chain.request());
    }

    /** The same client, each writing call of which has its fence noted when it is made, if there is any. */
    static OkHttpClient noting(OkHttpClient http) {
        EventListener.Factory given = http.eventListenerFactory();
        EventListener.Factory others = given instanceof Notes notes ? notes.others : given;
        EventListener.Factory own = http.interceptors().stream()
                .filter(FenceCheck.class::isInstance)
                .findFirst()
                .<EventListener.Factory>map(check -> new Notes((FenceCheck) check, others))
                .orElse(others);
        return own.equals(given)
                ? http
                : http.newBuilder().eventListenerFactory(own).build();
    }

    private record Notes(FenceCheck check, EventListener.Factory others) implements EventListener.Factory {

        @Override
        public EventListener create(Call call) {
            EventListener other = others.create(call);
            if (!HostInterceptor.mutates(call.request())) {
                return other;
            }
            return new EventListener() {
                /** On the thread that makes the call. */
                @Override
                public void callStart(Call begun) {
                    begun.tag(WriteFence.class, () -> check.fence.get().here());
                }
            }.plus(other);
        }
    }
}
