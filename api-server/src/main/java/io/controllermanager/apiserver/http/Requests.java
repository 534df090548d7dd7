package io.controllermanager.apiserver.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PongWebSocketFrame;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;

/**
 * Has the requests of one connection answered, in their order and not in Netty's thread. Where the connection has become a
 * WebSocket, what the client says is ignored but for pings and its end.
 */
final class Requests extends SimpleChannelInboundHandler<Object> {

    private final InstantSource clock;
    private final Handler handler;
    private final Executor executor;
    private CompletableFuture<?> answered = CompletableFuture.completedFuture(null);

    Requests(InstantSource clock, Handler handler, Executor executor) {
        this.clock = clock;
        this.handler = handler;
        this.executor = executor;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, Object message) {
        if (message instanceof FullHttpRequest request) {
            Exchange exchange = new Exchange(context.channel(), request, clock);
            answered = answered.thenRunAsync(() -> exchange.answer(handler), executor);
        } else if (message instanceof PingWebSocketFrame ping) {
            Future<?> unused =
                    context.writeAndFlush(new PongWebSocketFrame(ping.content().retain()));
        } else if (message instanceof CloseWebSocketFrame) {
            HttpFrontend.cut(context);
        }
    }

    /** A client that sends no more gets the answers to what it has sent. */
    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event == ChannelInputShutdownEvent.INSTANCE) {
            answered = answered.thenRun(() -> HttpFrontend.cut(context));
        }
    }

    /** Netty itself would warn of it in the application's log. */
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        HttpFrontend.cut(context);
    }
}
