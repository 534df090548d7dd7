package io.controllermanager.client.internal.connection;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;

/** Asks the API server whether it is ready, without blocking the asking thread. */
record ReadinessProbe(Supplier<OkHttpClient> client, Supplier<String> url) implements ApiServerMonitor.Probe {

    private static final Duration TIME_LIMIT = Duration.ofSeconds(5);

    @Override
    public void ask(IntConsumer status, Consumer<IOException> failed) {
        Call call;
        try {
            call = client.get().newCall(new Request.Builder().url(url.get()).build());
        } catch (IllegalArgumentException e) {
            failed.accept(new IOException(e.getMessage(), e));
            return;
        }
        call.timeout().timeout(TIME_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        call.enqueue(new Callback() {
            @Override
            public void onFailure(Call asked, IOException e) {
                failed.accept(e);
            }

            @Override
            public void onResponse(Call answered, Response response) {
                try (response) {
                    status.accept(response.code());
                }
            }
        });
    }
}
