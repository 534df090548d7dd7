package io.controllermanager.client.internal.transport;

import java.util.function.Supplier;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;

/** An API server's URL, which may change, and is parsed when it has: each request needs it. Safe for use by several threads. */
public final class ServerUrl {

    private final Supplier<String> text;
    private volatile @Nullable Parsed last;

    private record Parsed(String text, @Nullable HttpUrl url) {}

    public ServerUrl(Supplier<String> text) {
        this.text = text;
    }

    /** The present one, null if it is none. */
    public @Nullable HttpUrl get() {
        String now = text.get();
        Parsed parsed = last;
        if (parsed == null || !parsed.text.equals(now)) {
            parsed = new Parsed(now, HttpUrl.parse(now));
            last = parsed;
        }
        return parsed.url;
    }

    /**
     * The URL that kubectl makes of a server: with a scheme, without a query and a trailing slash.
     *
     * @throws ApiAccessException if it makes none
     */
    public static String normal(String server) {
        String url = server.contains("://") ? server : (server.endsWith(":443") ? "https://" : "http://") + server;
        String trimmed = url.replaceFirst("[?#].*$", "").replaceFirst("/+$", "");
        HttpUrl parsed = HttpUrl.parse(trimmed);
        if (parsed == null || (!url.equals(server) && parsed.encodedPath().length() > 1)) {
            throw new ApiAccessException("\"" + withoutPassword(server)
                    + "\" is not the URL of an API server, which is http or https://host:port or host:port");
        }
        // It would be sent to nobody, and stand in every message that names the server.
        if (!parsed.encodedUsername().isEmpty() || !parsed.encodedPassword().isEmpty()) {
            throw new ApiAccessException("\"" + withoutPassword(server)
                    + "\": a user in the URL is not supported; the kubeconfig's user may have username and password");
        }
        return trimmed;
    }

    /** A URL for messages. */
    static String withoutPassword(String url) {
        return url.replaceFirst("(?s)^([^/]*//)?.*@", "$1…@");
    }
}
