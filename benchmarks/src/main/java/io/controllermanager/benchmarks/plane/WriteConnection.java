package io.controllermanager.benchmarks.plane;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import javax.net.SocketFactory;
import javax.net.ssl.SSLSocket;

/**
 * One HTTP/1.1 connection for one request after the other. It takes little processor time, which on a small machine is
 * taken from what is measured. For one thread.
 */
public final class WriteConnection implements AutoCloseable {

    private final Socket socket;
    private final String host;
    private final OutputStream out;
    private final InputStream in;

    /**
     * Connects; by TLS too, if the sockets are of that.
     *
     * @throws IOException if that fails
     */
    public WriteConnection(SocketFactory sockets, URI server) throws IOException {
        this.host = server.getHost() + ":" + server.getPort();
        this.socket = sockets.createSocket(server.getHost(), server.getPort());
        socket.setTcpNoDelay(true);
        if (socket instanceof SSLSocket tls) {
            tls.startHandshake();
        }
        this.out = socket.getOutputStream();
        this.in = new BufferedInputStream(socket.getInputStream(), 16 * 1024);
    }

    /**
     * Sends a request and waits for the whole answer.
     *
     * @return the answer's body
     * @throws IOException if the answer is none of success
     */
    public String send(String method, String path, String json) throws IOException {
        byte[] body = json.getBytes(StandardCharsets.UTF_8);
        byte[] head = (method + " " + path + " HTTP/1.1\r\nHost: " + host
                        + "\r\nContent-Type: application/json\r\nAccept: application/json\r\nContent-Length: "
                        + body.length + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
        byte[] request = new byte[head.length + body.length];
        System.arraycopy(head, 0, request, 0, head.length);
        System.arraycopy(body, 0, request, head.length, body.length);
        out.write(request);
        out.flush();
        return answer();
    }

    private String answer() throws IOException {
        String status = line();
        int length = 0;
        boolean chunked = false;
        for (String header = line(); !header.isEmpty(); header = line()) {
            String lower = header.toLowerCase(java.util.Locale.ROOT);
            if (lower.startsWith("content-length:")) {
                length = Integer.parseInt(header.substring(15).strip());
            } else if (lower.startsWith("transfer-encoding:")) {
                chunked = lower.endsWith("chunked");
            }
        }
        String body = new String(chunked ? chunks() : exactly(length), StandardCharsets.UTF_8);
        if (!status.startsWith("HTTP/1.1 2")) {
            throw new IOException(status + ": " + body);
        }
        return body;
    }

    private byte[] chunks() throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        int length = Integer.parseInt(line(), 16);
        while (length > 0) {
            all.write(exactly(length));
            line();
            length = Integer.parseInt(line(), 16);
        }
        line();
        return all.toByteArray();
    }

    private byte[] exactly(int length) throws IOException {
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw new IOException("the answer breaks off");
        }
        return bytes;
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        int next = in.read();
        while (next != '\n') {
            if (next < 0) {
                throw new IOException("the answer breaks off");
            }
            if (next != '\r') {
                line.append((char) next);
            }
            next = in.read();
        }
        return line.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
