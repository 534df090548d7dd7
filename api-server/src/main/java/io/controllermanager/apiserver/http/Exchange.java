package io.controllermanager.apiserver.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketCloseStatus;
import io.netty.util.AsciiString;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.LinkedHashSet;
import java.util.function.Function;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/** A request and its answer, whichever version of HTTP carries them. */
final class Exchange {

    /** From which size on the real server compresses. */
    private static final int WORTH_COMPRESSING = 128 * 1024;

    private final Channel channel;
    private final FullHttpRequest asked;
    private final byte[] body;
    private final InstantSource clock;
    /** In seconds; 0 where the answer says nothing of it. */
    private long retryAfter;

    Exchange(Channel channel, FullHttpRequest asked, InstantSource clock) {
        this.channel = channel;
        this.asked = asked;
        this.body = ByteBufUtil.getBytes(asked.content());
        this.clock = clock;
    }

    /** Returns when all of the answer was sent, or no more can be sent. */
    void answer(Handler handler) {
        try {
            write(respond(handler));
        } catch (Exception | Error e) {
            // It is to be cut, the client is gone, the server is closing, or a stream has failed.
            HttpFrontend.cut(channel);
        }
    }

    private Response respond(Handler handler) throws IOException, InterruptedException {
        try {
            Response response = handler.handle(Request.of(asked, body, clock));
            if (response instanceof Response.Stream && WebSockets.isAskedFor(asked.headers())) {
                WebSockets.check(asked.headers());
            }
            return response;
        } catch (StatusException e) {
            retryAfter = e.status().at("/details/retryAfterSeconds").asLong();
            return Response.error(e);
        } catch (RuntimeException | Error e) {
            // No client is left without an answer, not even by an error of the JVM's.
            return Response.error(StatusException.of(500, "InternalError", "Internal error occurred: " + e));
        }
    }

    private void write(Response response) throws IOException, InterruptedException {
        if (response instanceof Response.Document document) {
            write(document);
        } else if (WebSockets.isAskedFor(asked.headers())) {
            await(WebSockets.open(channel, asked));
            long opened = System.nanoTime();
            ((Response.Stream) response).events().writeTo(new Outgoing(TextWebSocketFrame::new, 0));
            WebSockets.awaitClosing(opened);
            send(new CloseWebSocketFrame(WebSocketCloseStatus.NORMAL_CLOSURE));
            HttpFrontend.cut(channel);
        } else {
            DefaultHttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
            head.headers()
                    .set("Content-Type", ((Response.Stream) response).contentType())
                    .set("Transfer-Encoding", "chunked");
            send(head);
            Outgoing events = new Outgoing(DefaultHttpContent::new, 1 << 16);
            ((Response.Stream) response).events().writeTo(events);
            events.flush();
            send(LastHttpContent.EMPTY_LAST_CONTENT);
        }
    }

    private void write(Response.Document document) throws IOException {
        byte[] content = document.body();
        boolean gzip = content.length > WORTH_COMPRESSING
                && asked.headers().getAll("Accept-Encoding").toString().contains("gzip");
        if (gzip) {
            content = compress(content);
        }
        boolean head = asked.method().equals(HttpMethod.HEAD);
        ByteBuf sent = head ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(content);
        HttpResponseStatus status = HttpResponseStatus.valueOf(document.code());
        DefaultFullHttpResponse answer = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, sent);
        HttpHeaders headers = answer.headers();
        headers.set("Content-Type", document.contentType()).set("Content-Length", content.length);
        if (gzip) {
            headers.set("Content-Encoding", "gzip");
        }
        for (String warning : new LinkedHashSet<>(document.warnings())) {
            // No header can have control characters; the real server leaves such a warning out as well.
            if (warning.chars().noneMatch(Character::isISOControl)) {
                String text = "299 - \"" + warning.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
                // A byte is sent for each character of a text; clients read UTF-8.
                headers.add("Warning", new AsciiString(text.getBytes(StandardCharsets.UTF_8)));
            }
        }
        if (retryAfter > 0) {
            headers.set("Retry-After", retryAfter);
        }
        if (asked.decoderResult().isFailure()) {
            headers.set("Connection", "close");
        }
        send(answer);
    }

    private static byte[] compress(byte[] body) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream(body.length / 4);
        try (GZIPOutputStream gzip = new GZIPOutputStream(out, 1 << 16) {
            {
                def.setLevel(Deflater.BEST_SPEED);
            }
        }) {
            gzip.write(body);
        }
        return out.toByteArray();
    }

    /** Returns when the network has taken it: a client that is slow slows down what sends. */
    private void send(Object part) throws IOException {
        await(channel.writeAndFlush(part));
    }

    private static void await(ChannelFuture sent) throws IOException {
        if (!sent.awaitUninterruptibly().isSuccess()) {
            throw new IOException("the client is gone", sent.cause());
        }
    }

    /** A stream's events, which wait until there are so many bytes of them or they are flushed. */
    private final class Outgoing implements Response.Sink {

        private final ByteArrayOutputStream waiting = new ByteArrayOutputStream();
        private final Function<ByteBuf, Object> frame;
        private final int enough;

        Outgoing(Function<ByteBuf, Object> frame, int enough) {
            this.frame = frame;
            this.enough = enough;
        }

        @Override
        public void send(byte[] event, boolean bookmark) throws IOException {
            waiting.writeBytes(event);
            if (waiting.size() >= enough) {
                flush();
            }
        }

        @Override
        public void flush() throws IOException {
            if (channel instanceof DuplexChannel connection && connection.isInputShutdown()) {
                throw new IOException("the client has ended the stream");
            }
            if (waiting.size() > 0) {
                Exchange.this.send(frame.apply(Unpooled.wrappedBuffer(waiting.toByteArray())));
                waiting.reset();
            }
        }
    }
}
