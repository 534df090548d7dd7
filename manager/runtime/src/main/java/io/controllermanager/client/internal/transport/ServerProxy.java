package io.controllermanager.client.internal.transport;

import java.net.InetSocketAddress;
import java.net.Proxy;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import okhttp3.HttpUrl;

/**
 * A proxy on the way to the API server.
 *
 * @param scheme {@code http}, {@code https}, {@code socks5} or {@code socks5h}; with both of the latter the proxy looks up
 *     the API server's name, as in Go
 * @param user empty for none
 * @param fromEnvironment whether an environment variable names it, and not the kubeconfig
 */
public record ServerProxy(String scheme, String host, int port, String user, String password, boolean fromEnvironment) {

    private static final Map<String, Integer> PORTS = Map.of("http", 80, "https", 443, "socks5", 1080, "socks5h", 1080);
    private static final Pattern URL = Pattern.compile("([A-Za-z0-9]+)://(.*)");

    /**
     * The proxy of a URL.
     *
     * @param where the field or variable that has the URL, for the message
     * @throws ApiAccessException if it names none that can be used
     */
    public static ServerProxy parse(String url, String where, boolean fromEnvironment) {
        Matcher parts = URL.matcher(url);
        String scheme = parts.matches() ? parts.group(1).toLowerCase(Locale.ROOT) : "";
        Integer port = PORTS.get(scheme);
        HttpUrl http = port == null ? null : HttpUrl.parse("http://" + parts.group(2));
        HttpUrl https = port == null ? null : HttpUrl.parse("https://" + parts.group(2));
        String prefix = where + " \"" + ServerUrl.withoutPassword(url) + "\" ";
        if (port == null || http == null || https == null) {
            throw new ApiAccessException(
                    prefix + "is not the URL of a proxy: it must be http, https, socks5 or socks5h://host:port");
        }
        if (scheme.startsWith("socks") && !http.username().isEmpty()) {
            throw new ApiAccessException(
                    prefix + "has a password, which is not supported with SOCKS: Java has one for all connections");
        }
        // Of both a port that is not named is another.
        boolean named = http.port() == https.port();
        return new ServerProxy(
                scheme, http.host(), named ? http.port() : port, http.username(), http.password(), fromEnvironment);
    }

    /** As Java names it. */
    Proxy address() {
        return new Proxy(
                scheme.startsWith("socks") ? Proxy.Type.SOCKS : Proxy.Type.HTTP,
                InetSocketAddress.createUnresolved(host, port));
    }

    /** Its URL without the password. */
    @Override
    public String toString() {
        return scheme + "://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
}
