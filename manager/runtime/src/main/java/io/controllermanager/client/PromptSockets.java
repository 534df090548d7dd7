package io.controllermanager.client;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import javax.net.SocketFactory;

/**
 * Sockets that send at once what they are given ({@code TCP_NODELAY}), as Go's do. OkHttp writes a request's headers and its
 * body one after the other; otherwise the body would wait until the API server acknowledges the headers, which it does up
 * to 40 ms later.
 */
final class PromptSockets extends SocketFactory {

    private final SocketFactory sockets = SocketFactory.getDefault();

    @Override
    public Socket createSocket() throws IOException {
        return prompt(sockets.createSocket());
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return prompt(sockets.createSocket(host, port));
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) throws IOException {
        return prompt(sockets.createSocket(host, port, localHost, localPort));
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return prompt(sockets.createSocket(host, port));
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress localHost, int localPort) throws IOException {
        return prompt(sockets.createSocket(host, port, localHost, localPort));
    }

    private static Socket prompt(Socket socket) throws IOException {
        socket.setTcpNoDelay(true);
        return socket;
    }
}
