package io.controllermanager.client.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.time.internal.Timer;
import java.time.Duration;
import okhttp3.Call;
import okhttp3.EventListener;
import okhttp3.Handshake;
import org.jspecify.annotations.Nullable;

/**
 * Ends a call whose TLS handshake takes too long. OkHttp limits a handshake by the read timeout, which is none here: a
 * server that accepts connections and says nothing would hold a watch for ever.
 */
final class HandshakeLimit extends EventListener {

    private final Duration limit;
    private final Timer timer;

    @GuardedBy("this")
    private Timer.@Nullable Cancellable deadline;

    HandshakeLimit(Duration limit, Timer timer) {
        this.limit = limit;
        this.timer = timer;
    }

    @Override
    public synchronized void secureConnectStart(Call call) {
        end();
        deadline = timer.schedule(limit, call::cancel);
    }

    @Override
    public void secureConnectEnd(Call call, @Nullable Handshake handshake) {
        end();
    }

    @Override
    public void callEnd(Call call) {
        end();
    }

    @Override
    public void callFailed(Call call, java.io.IOException e) {
        end();
    }

    private synchronized void end() {
        if (deadline != null) {
            deadline.cancel();
            deadline = null;
        }
    }
}
