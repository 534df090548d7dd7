package io.controllermanager.testing.bothservers.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.controllermanager.testing.support.Waiting;
import io.kubernetes.client.openapi.ApiClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.WebSocket;
import okhttp3.WebSocketListener;
import okio.ByteString;
import org.jspecify.annotations.Nullable;

/** A WebSocket that is read as it comes. */
final class WebSocketWatch extends WebSocketListener implements AutoCloseable {

    /**
     * What came.
     *
     * @param kind text, binary, closing, closed, refused or failed
     * @param text of closing and closed, the code; of refused, the answer's
     */
    record Frame(String kind, String text) {

        JsonNode event() {
            try {
                return MAPPER.readTree(text);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final BlockingQueue<Frame> frames = new LinkedBlockingQueue<>();
    private final CompletableFuture<Response> opened = new CompletableFuture<>();
    private final WebSocket socket;

    WebSocketWatch(ApiClient client, String path, String... headers) {
        Request.Builder request = new Request.Builder().url(client.getBasePath() + path);
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        socket = client.getHttpClient().newWebSocket(request.build(), this);
    }

    Frame next() {
        try {
            return Waiting.on(frames);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A header of the answer with which it began. */
    String header(String name) throws Exception {
        return String.valueOf(Waiting.on(opened).header(name));
    }

    /** Says that the client has had enough. */
    void end() {
        socket.close(1000, "");
    }

    @Override
    public void onOpen(WebSocket opening, Response response) {
        opened.complete(response);
    }

    @Override
    public void onMessage(WebSocket from, String text) {
        frames.add(new Frame("text", text));
    }

    @Override
    public void onMessage(WebSocket from, ByteString bytes) {
        frames.add(new Frame("binary", bytes.utf8()));
    }

    @Override
    public void onClosing(WebSocket from, int code, String reason) {
        frames.add(new Frame("closing", Integer.toString(code)));
    }

    @Override
    public void onClosed(WebSocket from, int code, String reason) {
        frames.add(new Frame("closed", Integer.toString(code)));
    }

    @Override
    public void onFailure(WebSocket from, Throwable failure, @Nullable Response response) {
        opened.completeExceptionally(failure);
        frames.add(
                response == null
                        ? new Frame("failed", failure.toString())
                        : new Frame("refused", Integer.toString(response.code())));
    }

    @Override
    public void close() {
        socket.cancel();
    }
}
