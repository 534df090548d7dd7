package io.controllermanager.client.internal.transport;

import java.io.IOException;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.util.List;
import okhttp3.Authenticator;
import okhttp3.Credentials;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.Route;
import org.jspecify.annotations.Nullable;

/** Sends everything through one proxy, and remembers what was in its place. */
public final class ProxyRoute extends ProxySelector implements Authenticator {

    private static final String LOGIN = "Proxy-Authorization";

    private final ServerProxy proxy;
    private final OkHttpClient before;

    private ProxyRoute(ServerProxy proxy, OkHttpClient before) {
        this.proxy = proxy;
        this.before = before;
    }

    /**
     * Leads a client through a proxy, or back to its own way if there is none. A proxy that the client was given goes before
     * one of the environment, and that before the JVM's properties.
     *
     * @param client with its TLS, which a proxy may need too
     */
    public static OkHttpClient lead(OkHttpClient client, @Nullable ServerProxy proxy) {
        OkHttpClient own = client.proxySelector() instanceof ProxyRoute former ? former.leave(client) : client;
        boolean chosen = own.proxy() != null || own.proxySelector() != ProxySelector.getDefault();
        if (proxy == null || (proxy.fromEnvironment() && chosen)) {
            return own;
        }
        ProxyRoute route = new ProxyRoute(proxy, own);
        OkHttpClient.Builder http =
                own.newBuilder().proxy(null).proxySelector(route).proxyAuthenticator(route);
        if (proxy.scheme().equals("https")) {
            NoDelaySocketFactory sockets =
                    own.socketFactory() instanceof NoDelaySocketFactory present ? present : new NoDelaySocketFactory();
            http.socketFactory(sockets.making(() -> new SecureProxySocket(proxy.host(), own)));
        }
        return http.build();
    }

    private OkHttpClient leave(OkHttpClient client) {
        return client.newBuilder()
                .proxy(before.proxy())
                .proxySelector(before.proxySelector())
                .proxyAuthenticator(before.proxyAuthenticator())
                .socketFactory(before.socketFactory())
                .build();
    }

    /** The way that a client's requests take, for messages; empty if it is not through one of these proxies. */
    public static String of(OkHttpClient client) {
        return client.proxySelector() instanceof ProxyRoute route ? " through proxy " + route.proxy : "";
    }

    @Override
    public List<Proxy> select(URI uri) {
        return List.of(proxy.address());
    }

    @Override
    public void connectFailed(URI uri, SocketAddress address, IOException failure) {
        // There is no other to choose; the request itself reports the failure.
    }

    /** Also called before a proxy has asked, for connections through it. */
    @Override
    public @Nullable Request authenticate(@Nullable Route route, Response response) {
        Request request = response.request();
        return proxy.user().isEmpty() || request.header(LOGIN) != null
                ? null
                : request.newBuilder()
                        .header(LOGIN, Credentials.basic(proxy.user(), proxy.password()))
                        .build();
    }
}
