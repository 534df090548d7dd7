package io.controllermanager.client.internal.transport;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSocket;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/**
 * A socket to a proxy that speaks TLS, which OkHttp takes for one that does not. The proxy's certificate is checked as the
 * API server's is, as in client-go, which has one TLS configuration for both.
 */
final class SecureProxySocket extends Socket {

    private final String host;
    private final OkHttpClient client;
    private volatile @Nullable SSLSocket secure;

    /** Not connected yet; the client has the TLS. */
    SecureProxySocket(String host, OkHttpClient client) {
        this.host = host;
        this.client = client;
    }

    @Override
    public void connect(SocketAddress proxy, int timeout) throws IOException {
        super.connect(proxy, timeout);
        int readTimeout = getSoTimeout();
        setSoTimeout(timeout);
        int port = ((InetSocketAddress) proxy).getPort();
        SSLSocket over = (SSLSocket) client.sslSocketFactory().createSocket(this, host, port, true);
        over.startHandshake();
        if (!client.hostnameVerifier().verify(host, over.getSession())) {
            throw new SSLPeerUnverifiedException("the certificate of proxy " + host + " is for another host");
        }
        setSoTimeout(readTimeout);
        secure = over;
    }

    @Override
    public InputStream getInputStream() throws IOException {
        SSLSocket over = secure;
        return over == null ? super.getInputStream() : over.getInputStream();
    }

    @Override
    public OutputStream getOutputStream() throws IOException {
        SSLSocket over = secure;
        return over == null ? super.getOutputStream() : over.getOutputStream();
    }
}
