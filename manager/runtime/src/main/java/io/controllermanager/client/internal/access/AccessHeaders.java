package io.controllermanager.client.internal.access;

import io.controllermanager.client.internal.transport.ApiAccessException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Set;
import okhttp3.Credentials;
import okhttp3.Headers;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.Response;

/**
 * The headers that a kubeconfig sets on each request, in place of those that it has. They are a user's name and password; whom
 * to pass for, as in client-go's {@code transport/round_trippers.go}; and that answers are not to be compressed, which OkHttp
 * asks for otherwise.
 */
record AccessHeaders(Headers headers) implements Interceptor {

    /**
     * Those of a user and a cluster.
     *
     * @throws ApiAccessException if one of them cannot be sent
     */
    static AccessHeaders of(KubeconfigEntry user, KubeconfigEntry cluster) {
        Headers.Builder headers = new Headers.Builder();
        if (cluster.flag("disable-compression")) {
            headers.add("Accept-Encoding", "identity");
        }
        String name = user.string("username");
        if (name != null) {
            String password = Objects.requireNonNullElse(user.string("password"), "");
            headers.add("Authorization", Credentials.basic(name, password));
        }
        String as = user.string("as");
        String uid = user.string("as-uid");
        try {
            if (as != null) {
                headers.add("Impersonate-User", as);
            }
            if (uid != null) {
                headers.add("Impersonate-Uid", uid);
            }
            user.strings("as-groups").forEach(group -> headers.add("Impersonate-Group", group));
            user.lists("as-user-extra").forEach((key, values) -> {
                String header = "Impersonate-Extra-" + escaped(key);
                values.forEach(value -> headers.add(header, value));
            });
        } catch (IllegalArgumentException e) {
            throw user.wrong("as, or what stands beside it, has a character that a header cannot have");
        }
        return new AccessHeaders(headers.build());
    }

    @Override
    public Response intercept(Chain chain) throws IOException {
        Request.Builder request = chain.request().newBuilder();
        Set<String> names = headers.names();
        names.forEach(request::removeHeader);
        names.forEach(name -> headers.values(name).forEach(value -> request.addHeader(name, value)));
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
