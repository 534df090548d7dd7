package io.controllermanager.client.internal;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.util.List;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;

/** Sends everything through the proxy that a kubeconfig names, and remembers what was in its place. */
final class ClusterProxy extends ProxySelector {

    private static final int SOCKS_PORT = 1080;

    private final Proxy proxy;
    private final ProxySelector before;

    private ClusterProxy(Proxy proxy, ProxySelector before) {
        this.proxy = proxy;
        this.before = before;
    }

    /**
     * The proxy of a URL, null if it is not one that can be used: {@code http://host:port} or {@code socks5://host:port},
     * without a name and password.
     */
    static @Nullable Proxy proxy(String url) {
        boolean socks = url.startsWith("socks5://");
        if (!socks && !url.startsWith("http://")) {
            return null;
        }
        HttpUrl parsed = HttpUrl.parse(socks ? "http" + url.substring("socks5".length()) : url);
        if (parsed == null || !parsed.username().isEmpty() || !parsed.password().isEmpty()) {
            return null;
        }
        // A URL that names port 80 looks like one that names none.
        int port = socks && parsed.port() == 80 && !url.contains(":80") ? SOCKS_PORT : parsed.port();
        return new Proxy(
                socks ? Proxy.Type.SOCKS : Proxy.Type.HTTP, InetSocketAddress.createUnresolved(parsed.host(), port));
    }

    /** What takes the place of a selector. */
    static ProxySelector instead(ProxySelector present, @Nullable Proxy proxy) {
        ProxySelector own = present instanceof ClusterProxy former ? former.before : present;
        return proxy == null ? own : new ClusterProxy(proxy, own);
    }

    @Override
    public List<Proxy> select(URI uri) {
        return List.of(proxy);
    }

    @Override
    public void connectFailed(URI uri, SocketAddress address, IOException failure) {
        // There is no other to choose; the request itself reports the failure.
    }
}
