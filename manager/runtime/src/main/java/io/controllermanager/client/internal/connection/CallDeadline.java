package io.controllermanager.client.internal.connection;

import io.controllermanager.time.internal.Timer;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import okhttp3.Response;

/** Ends a request whose answer has not begun in time, whatever it hangs on; streams are exempt. */
record CallDeadline(Duration limit, Timer timer) implements HostInterceptor {

    @Override
    public Response intercept(Chain chain) throws IOException {
        if (HostInterceptor.streams(chain.request())) {
            return chain.proceed(chain.request());
        }
        AtomicBoolean expired = new AtomicBoolean();
        Timer.Cancellable deadline = timer.schedule(limit, () -> {
            expired.set(true);
            chain.call().cancel();
        });
        try {
            return chain.proceed(chain.request());
        } catch (IOException e) {
            if (!expired.get()) {
                throw e;
            }
            InterruptedIOException timeout = new InterruptedIOException("no answer within " + limit.toMillis() + " ms");
            timeout.initCause(e);
            throw timeout;
        } finally {
            deadline.cancel();
        }
    }
}
