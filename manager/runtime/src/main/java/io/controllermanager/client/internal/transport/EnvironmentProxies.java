package io.controllermanager.client.internal.transport;

import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;

/**
 * The proxies that {@code HTTPS_PROXY}, {@code HTTP_PROXY} and {@code NO_PROXY} name, or the same in small letters where
 * those are not set. As {@code golang.org/x/net/http/httpproxy}, which client-go goes by, but that a value that cannot be
 * used is an error here.
 */
public record EnvironmentProxies(Map<String, String> variables) {

    private static final Pattern HOST_AND_PORT = Pattern.compile("(\\[.*]|[^:]*):([^:\\]]*)");
    private static final Pattern IPV4 = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");

    /**
     * The proxy for a server, null for none, as for each server on this machine.
     *
     * @param server a URL
     * @throws ApiAccessException if the variable for it has no proxy's URL
     */
    @Nullable
    public ServerProxy of(String server) {
        HttpUrl url = HttpUrl.get(server);
        String variable = name(url.isHttps() ? "HTTPS_PROXY" : "HTTP_PROXY");
        String proxy = value(variable);
        if (proxy.isEmpty() || isSpared(url.host(), String.valueOf(url.port()))) {
            return null;
        }
        return ServerProxy.parse(proxy.contains("://") ? proxy : "http://" + proxy, "$" + variable, true);
    }

    private String name(String variable) {
        return value(variable).isEmpty() ? variable.toLowerCase(Locale.ROOT) : variable;
    }

    private String value(String variable) {
        return variables.getOrDefault(variable, "").strip();
    }

    private boolean isSpared(String host, String port) {
        InetAddress address = literal(host);
        String[] entries = value(name("NO_PROXY")).toLowerCase(Locale.ROOT).split(",", -1);
        return host.equals("localhost")
                || (address != null && address.isLoopbackAddress())
                || Stream.of(entries).anyMatch(entry -> matches(entry.strip(), host, port, address));
    }

    private static boolean matches(String entry, String host, String port, @Nullable InetAddress address) {
        if (entry.equals("*")) {
            return true;
        }
        int slash = entry.indexOf('/');
        if (slash >= 0) {
            return address != null && contains(entry.substring(0, slash), entry.substring(slash + 1), address);
        }
        Matcher parts = HOST_AND_PORT.matcher(entry);
        boolean named = parts.matches();
        String name = (named ? parts.group(1) : entry).replaceAll("[\\[\\]]", "");
        if (name.isEmpty()
                || (named && !parts.group(2).isEmpty() && !parts.group(2).equals(port))) {
            return false;
        }
        if (address != null) {
            return address.equals(literal(name));
        }
        String domain = name.replaceFirst("^\\*?\\.", "");
        return host.endsWith("." + domain) || (domain.equals(name) && host.equals(domain));
    }

    private static boolean contains(String network, String length, InetAddress address) {
        InetAddress prefix = literal(network);
        byte[] bytes = address.getAddress();
        if (prefix == null || prefix.getAddress().length != bytes.length || !length.matches("\\d{1,3}")) {
            return false;
        }
        int rest = bytes.length * 8 - Integer.parseInt(length);
        BigInteger differences = new BigInteger(1, prefix.getAddress()).xor(new BigInteger(1, bytes));
        return rest >= 0 && differences.shiftRight(rest).signum() == 0;
    }

    /** The address that a text is, null if it is a name, which is not looked up. */
    private static @Nullable InetAddress literal(String text) {
        try {
            return text.contains(":") || IPV4.matcher(text).matches() ? InetAddress.getByName(text) : null;
        } catch (UnknownHostException e) {
            return null;
        }
    }
}
