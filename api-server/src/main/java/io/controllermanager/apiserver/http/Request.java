package io.controllermanager.apiserver.http;

import io.netty.handler.codec.http.FullHttpRequest;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;

/**
 * A request, read to its end.
 *
 * @param headers by names whose case does not matter
 * @param clock by which the answer tells how old things are
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
public record Request(String method, HttpUrl url, Map<String, List<String>> headers, byte[] body, InstantSource clock) {

    /** As much as kube-apiserver takes (apiserver, server/config.go). */
    private static final int LARGEST_BODY = 3 * 1024 * 1024;

    static Request of(FullHttpRequest asked, byte[] body, InstantSource clock) {
        if (asked.decoderResult().isFailure()) {
            throw StatusException.badRequest("no HTTP: " + asked.decoderResult().cause());
        } else if (body.length > LARGEST_BODY) {
            throw StatusException.tooLarge("limit is " + LARGEST_BODY);
        }
        refuseDots(asked.uri().split("[?#]", 2)[0]);
        HttpUrl url = asked.uri().startsWith("/") ? HttpUrl.parse("http://localhost" + asked.uri()) : null;
        if (url == null) {
            throw StatusException.badRequest("no path: " + asked.uri());
        }
        Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        asked.headers()
                .names()
                .forEach(name -> headers.put(name, asked.headers().getAll(name)));
        return new Request(asked.method().name(), url, headers, body, clock);
    }

    /** What would lead elsewhere than it says is not followed. */
    private static void refuseDots(String path) {
        for (String segment : path.split("[/\\\\]", -1)) {
            String plain = segment.replaceAll("(?i)%2e", ".");
            if (plain.equals(".") || plain.equals("..")) {
                throw StatusException.badRequest("a path may not contain the segment '" + segment + "'");
            }
        }
    }

    /** The same for another version. */
    public Request at(String version) {
        HttpUrl changed = url.newBuilder()
                .setQueryParameter("resourceVersion", version)
                .setQueryParameter("resourceVersionMatch", "Exact")
                .build();
        return new Request(method, changed, headers, body, clock);
    }

    /** The path's decoded segments, none of them empty. */
    public List<String> path() {
        return url.pathSegments().stream().filter(segment -> !segment.isEmpty()).toList();
    }

    /** A query parameter's first value; empty where there is none. */
    public String parameter(String name) {
        return Objects.requireNonNullElse(url.queryParameter(name), "");
    }

    /** Whether a parameter is there, be it empty. */
    public boolean has(String parameter) {
        return url.queryParameterNames().contains(parameter);
    }

    /** A boolean parameter, which is true whatever it says but for these (apimachinery, runtime/conversion.go). */
    public boolean flag(String name) {
        return has(name) && !List.of("0", "false").contains(parameter(name).toLowerCase(Locale.ROOT));
    }

    /**
     * A number.
     *
     * @return null where there is none
     * @throws StatusException 400 for what is no number
     */
    public @Nullable Long number(String name) {
        try {
            return has(name) ? Long.valueOf(parameter(name)) : null;
        } catch (NumberFormatException e) {
            throw StatusException.badRequest("strconv.ParseInt: parsing \"" + parameter(name) + "\": invalid syntax");
        }
    }

    /** A header's values, joined; empty where there is none. */
    public String header(String name) {
        return String.join(",", headers.getOrDefault(name, List.of()));
    }
}
