package io.controllermanager.client.internal.connection;

import io.controllermanager.time.internal.Timer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import okhttp3.Call;
import okhttp3.Connection;
import okhttp3.EventListener;
import org.jspecify.annotations.Nullable;

/**
 * Ends a call whose TLS handshake takes too long, or before that a proxy's answer. OkHttp limits both by the read timeout,
 * which is none here: a server or proxy that accepts connections and says nothing would hold a watch for ever.
 */
final class HandshakeLimit extends EventListener {

    private final Duration limit;
    private final Timer timer;
    private final Runnable late;

    private final AtomicReference<Timer.@Nullable Cancellable> deadline = new AtomicReference<>();

    /** Of one call; a limit that is passed is told, since the call itself looks as if somebody had cancelled it. */
    HandshakeLimit(Duration limit, Timer timer, Runnable late) {
        this.limit = limit;
        this.timer = timer;
        this.late = late;
    }

    /** Before a proxy's answer there is TCP's connecting, which has its own limit of the same length. */
    @Override
    public void connectStart(Call call, InetSocketAddress address, Proxy proxy) {
        if (proxy.type() == Proxy.Type.HTTP) {
            begin(limit.multipliedBy(2), call);
        }
    }

    @Override
    public void secureConnectStart(Call call) {
        begin(limit, call);
    }

    private void begin(Duration within, Call call) {
        replace(timer.schedule(within, () -> {
            call.cancel();
            late.run();
        }));
    }

    @Override
    public void connectionAcquired(Call call, Connection connection) {
        replace(null);
    }

    @Override
    public void callEnd(Call call) {
        replace(null);
    }

    @Override
    public void callFailed(Call call, IOException e) {
        replace(null);
    }

    private void replace(Timer.@Nullable Cancellable next) {
        Timer.Cancellable former = deadline.getAndSet(next);
        if (former != null) {
            former.cancel();
        }
    }
}
