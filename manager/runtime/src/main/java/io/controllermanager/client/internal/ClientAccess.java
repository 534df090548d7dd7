package io.controllermanager.client.internal;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.auth.ApiKeyAuth;
import io.kubernetes.client.util.credentials.Authentication;
import java.util.Objects;
import java.util.function.UnaryOperator;
import javax.net.ssl.HostnameVerifier;
import javax.net.ssl.KeyManager;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/**
 * What it takes to point a client at an API server.
 *
 * @param server the URL
 * @param verifyTls whether the server's certificate is checked
 * @param authority the certificates to check it against, null for those of the JVM and where nothing is checked
 * @param tlsServerName the name that the certificate must have and TLS asks for, null for the URL's host
 * @param authentication client-java's way of proving who asks, null if there is none
 * @param certificate the client certificate, null if there is none
 * @param tokens bearer tokens, null if there are none
 * @param headers what all requests have, null for nothing
 * @param proxy what all connections go through, null for what the client has
 */
record ClientAccess(
        String server,
        boolean verifyTls,
        @Nullable Renewable<CertificateAuthority> authority,
        @Nullable String tlsServerName,
        @Nullable Authentication authentication,
        @Nullable Renewable<ClientCertificate> certificate,
        @Nullable BearerTokens tokens,
        @Nullable AccessHeaders headers,
        @Nullable ServerProxy proxy) {

    /** Does it, in place. Interceptors that are not credentials stay, before the credentials. */
    void apply(ApiClient target, String source) {
        try {
            target.setBasePath(server);
            // What is renewed takes the place of client-java's TLS, which would read it once.
            target.setSslCaCert(null);
            forgetCredentials(target);
            target.setVerifyingSsl(verifyTls);
            if (authentication != null) {
                authentication.provide(target);
            }
            if (certificate != null) {
                // For who asks the client how it is; TLS itself is the next thing.
                target.setKeyManagers(new KeyManager[] {certificate.value().keys()});
            }
            OkHttpClient present = target.getHttpClient();
            OkHttpClient.Builder http = present.newBuilder();
            HttpUrl url = HttpUrl.get(server);
            if (url.isHttps()) {
                UnaryOperator<String> names =
                        host -> tlsServerName == null || !host.equals(url.host()) ? host : tlsServerName;
                new RenewableTls(certificate, authority, Objects.requireNonNull(present.x509TrustManager()), names)
                        .addTo(http);
                if (tlsServerName != null) {
                    HostnameVerifier verifier = present.hostnameVerifier();
                    http.hostnameVerifier((host, session) -> verifier.verify(names.apply(host), session));
                }
            }
            if (tokens != null) {
                http.interceptors().add(tokens);
            }
            if (headers != null) {
                http.interceptors().add(headers);
            }
            target.setHttpClient(ProxyRoute.lead(http.build(), proxy));
        } catch (ApiAccessException e) {
            throw e;
        } catch (RuntimeException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new ApiAccessException(source + ": its certificates or keys are of no use: " + cause.getMessage(), e);
        }
    }

    private static void forgetCredentials(ApiClient target) {
        PluginCredentials.of(target).forEach(PluginCredentials::close);
        OkHttpClient.Builder http = target.getHttpClient().newBuilder();
        http.interceptors()
                .removeIf(each -> each instanceof BearerTokens
                        || each instanceof PluginCredentials
                        || each instanceof AccessHeaders
                        || each instanceof RenewableTls);
        target.setHttpClient(http.build());
        target.setKeyManagers(null);
        if (target.getAuthentication("BearerToken") instanceof ApiKeyAuth key) {
            key.setApiKey(null);
            key.setApiKeyPrefix(null);
        }
    }
}
