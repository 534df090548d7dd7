package io.controllermanager.apiserver.http;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOutboundInvoker;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.group.ChannelGroup;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpServerKeepAliveHandler;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ApplicationProtocolNegotiationHandler;
import io.netty.handler.ssl.SslContext;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Says what a new connection speaks. */
final class Connections extends ChannelInitializer<Channel> {

    /** Of a request's head: as much as Go's server takes. */
    private static final int LARGEST_HEAD = 1 << 20;

    /** What is larger by far than a request may be is refused by Netty itself, and ends its connection. */
    private static final int LARGEST_BODY = 1 << 26;

    private final ChannelGroup open;
    private final @Nullable SslContext tls;
    private final Supplier<ChannelHandler> requests;

    /**
     * Makes one.
     *
     * @param open those that there are
     * @param tls null to do without
     * @param requests makes what answers the requests of one connection, or of one stream of HTTP/2
     */
    Connections(ChannelGroup open, @Nullable SslContext tls, Supplier<ChannelHandler> requests) {
        this.open = open;
        this.tls = tls;
        this.requests = requests;
    }

    @Override
    protected void initChannel(Channel channel) {
        open.add(channel);
        if (tls == null) {
            speakHttp1(channel.pipeline());
        } else {
            channel.pipeline().addLast(tls.newHandler(channel.alloc()), new Negotiation());
        }
    }

    /** Ends a connection, or a stream of HTTP/2, where it stands. */
    @SuppressWarnings("FutureReturnValueIgnored") // There is nothing to do when it has ended.
    static void cut(ChannelOutboundInvoker connection) {
        connection.close();
    }

    private void speakHttp1(ChannelPipeline pipeline) {
        pipeline.addLast(
                new HttpServerCodec(LARGEST_HEAD, LARGEST_HEAD, 1 << 16),
                new HttpServerKeepAliveHandler(),
                new HttpObjectAggregator(LARGEST_BODY),
                requests.get());
    }

    private void speakHttp2(ChannelPipeline pipeline) {
        pipeline.addLast(
                Http2FrameCodecBuilder.forServer()
                        // As many streams at a time as from kube-apiserver (apiserver, server/secure_serving.go).
                        .initialSettings(Http2Settings.defaultSettings()
                                .maxConcurrentStreams(100)
                                .maxHeaderListSize(LARGEST_HEAD))
                        // A client that gives up many watches attacks nobody.
                        .decoderEnforceMaxRstFramesPerWindow(0, 0)
                        .gracefulShutdownTimeoutMillis(0)
                        .build(),
                new Http2MultiplexHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel stream) {
                        stream.pipeline()
                                .addLast(
                                        new Http2StreamFrameToHttpObjectCodec(true),
                                        new HttpObjectAggregator(LARGEST_BODY),
                                        requests.get());
                    }
                }),
                requests.get());
    }

    /** By TLS' extension ALPN. */
    private final class Negotiation extends ApplicationProtocolNegotiationHandler {

        Negotiation() {
            super(ApplicationProtocolNames.HTTP_1_1);
        }

        @Override
        protected void configurePipeline(ChannelHandlerContext context, String protocol) {
            if (protocol.equals(ApplicationProtocolNames.HTTP_2)) {
                speakHttp2(context.pipeline());
            } else {
                speakHttp1(context.pipeline());
            }
        }

        /** Netty itself would warn of it in the application's log. */
        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            cut(context);
        }
    }
}
