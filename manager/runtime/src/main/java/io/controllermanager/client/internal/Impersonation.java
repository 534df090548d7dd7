package io.controllermanager.client.internal;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * Asks the API server to treat each request as somebody else's, with the headers of client-go's
 * {@code transport/round_trippers.go}.
 *
 * @param user the other's name
 * @param uid the other's id, null for none
 * @param groups the other's groups
 * @param extra what else an authenticator would say of the other
 */
record Impersonation(String user, @Nullable String uid, List<String> groups, Map<String, List<String>> extra)
        implements Interceptor {

    @Override
    public Response intercept(Chain chain) throws IOException {
        Request.Builder request = chain.request().newBuilder().header("Impersonate-User", user);
        if (uid != null) {
            request.header("Impersonate-Uid", uid);
        }
        request.removeHeader("Impersonate-Group");
        groups.forEach(group -> request.addHeader("Impersonate-Group", group));
        extra.forEach((key, values) -> {
            String name = "Impersonate-Extra-" + escaped(key);
            request.removeHeader(name);
            values.forEach(value -> request.addHeader(name, value));
        });
        return chain.proceed(request.build());
    }

    /** A header's name cannot have all characters that a key may have; the others go as in a URL. */
    private static String escaped(String key) {
        StringBuilder escaped = new StringBuilder();
        for (byte b : key.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xff);
            if (c < 0x80 && (Character.isLetterOrDigit(c) || "!#$&'*+-.^_`|~".indexOf(c) >= 0)) {
                escaped.append(c);
            } else {
                escaped.append(String.format("%%%02X", (int) c));
            }
        }
        return escaped.toString();
    }
}
