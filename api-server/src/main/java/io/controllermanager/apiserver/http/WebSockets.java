package io.controllermanager.apiserver.http;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.websocketx.WebSocketServerHandshaker13;
import java.util.concurrent.TimeUnit;

/** How a watch becomes one over a WebSocket (apiserver, pkg/endpoints/handlers/watch.go, and golang.org/x/net/websocket). */
final class WebSockets {

    /**
     * How long one is open at least. Vert.x, and so fabric8's client, waits for ever for a WebSocket if it reads the answer that
     * opens it and the frame that closes it at once. The real server seldom writes both so close together.
     */
    private static final long SHORTEST = TimeUnit.MILLISECONDS.toNanos(250);

    private WebSockets() {}

    static boolean isAskedFor(HttpHeaders headers) {
        return headers.containsValue("Connection", "upgrade", true)
                && headers.containsValue("Upgrade", "websocket", true);
    }

    /** Refuses what the real server refuses, with 400 or 403. */
    static void check(HttpHeaders headers) {
        if (!headers.contains("Sec-WebSocket-Key") || !headers.contains("Sec-WebSocket-Version", "13", false)) {
            throw StatusException.badRequest("a WebSocket needs a Sec-WebSocket-Key, and version 13");
        } else if (!headers.contains("Origin")) {
            throw StatusException.of(403, "Forbidden", "a WebSocket needs an Origin");
        } else if (headers.getAll("Sec-WebSocket-Protocol").toString().contains(",")) {
            throw StatusException.badRequest("a WebSocket takes one Sec-WebSocket-Protocol at most");
        }
    }

    /** Turns the connection into a WebSocket, of the protocol that is asked for. */
    static ChannelFuture open(Channel channel, FullHttpRequest asked) {
        return new WebSocketServerHandshaker13("", "*", false, 1 << 16).handshake(channel, asked);
    }

    /**
     * Returns as soon as one may be closed.
     *
     * @param opened when it was opened, by {@link System#nanoTime()}
     */
    static void awaitClosing(long opened) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(opened + SHORTEST - System.nanoTime());
    }
}
