package io.controllermanager.informer.internal;

import java.io.IOException;
import okhttp3.Interceptor;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Buffer;
import okio.ForwardingSource;
import okio.Okio;

/** Keeps back what watches say, for as long as a test wants: an informer that lags. */
final class HeldWatches implements Interceptor {

    private final Object lock = new Object();
    private boolean held;

    void hold() {
        synchronized (lock) {
            held = true;
        }
    }

    void release() {
        synchronized (lock) {
            held = false;
            lock.notifyAll();
        }
    }

    private void await() throws IOException {
        synchronized (lock) {
            while (held) {
                try {
                    lock.wait();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new IOException(e);
                }
            }
        }
    }

    @Override
    public Response intercept(Chain chain) throws IOException {
        Response response = chain.proceed(chain.request());
        if (!"true".equals(chain.request().url().queryParameter("watch"))) {
            return response;
        }
        ResponseBody body = response.body();
        ForwardingSource source = new ForwardingSource(body.source()) {
            @Override
            public long read(Buffer sink, long byteCount) throws IOException {
                long read = super.read(sink, byteCount);
                await();
                return read;
            }
        };
        return response.newBuilder()
                .body(ResponseBody.create(Okio.buffer(source), body.contentType(), body.contentLength()))
                .build();
    }
}
