package io.controllermanager.client.internal;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.auth.ApiKeyAuth;
import io.kubernetes.client.util.credentials.Authentication;
import java.net.Proxy;
import java.util.Objects;
import javax.net.ssl.KeyManager;
import javax.net.ssl.X509TrustManager;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/**
 * What it takes to point a client at an API server.
 *
 * @param server the URL
 * @param verifyTls whether the server's certificate is checked
 * @param authority the certificates to check it against, null for those of the JVM and where nothing is checked
 * @param authentication client-java's way of proving who asks, null if there is none
 * @param certificate the client certificate, null if there is none
 * @param tokens bearer tokens, null if there are none
 * @param impersonation whom to pass for, null for nobody
 * @param proxy what all connections go through, null for what the client has
 */
record ClientAccess(
        String server,
        boolean verifyTls,
        @Nullable Renewable<CertificateAuthority> authority,
        @Nullable Authentication authentication,
        @Nullable Renewable<ClientCertificate> certificate,
        @Nullable BearerTokens tokens,
        @Nullable Impersonation impersonation,
        @Nullable Proxy proxy) {

    /** Without impersonation and proxy. */
    ClientAccess(
            String server,
            boolean verifyTls,
            @Nullable Renewable<CertificateAuthority> authority,
            @Nullable Authentication authentication,
            @Nullable BearerTokens tokens) {
        this(server, verifyTls, authority, authentication, null, tokens, null, null);
    }

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
            OkHttpClient.Builder http = target.getHttpClient().newBuilder();
            if (authority != null || certificate != null) {
                X509TrustManager fixedTrust =
                        Objects.requireNonNull(http.build().x509TrustManager());
                new RenewableTls(certificate, authority, fixedTrust).addTo(http);
            }
            if (tokens != null) {
                http.interceptors().add(tokens);
            }
            if (impersonation != null) {
                http.interceptors().add(impersonation);
            }
            http.proxySelector(ClusterProxy.instead(target.getHttpClient().proxySelector(), proxy));
            target.setHttpClient(http.build());
        } catch (ApiAccessException e) {
            throw e;
        } catch (RuntimeException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new ApiAccessException(source + ": its certificates or keys are of no use: " + cause.getMessage(), e);
        }
    }

    private static void forgetCredentials(ApiClient target) {
        OkHttpClient.Builder http = target.getHttpClient().newBuilder();
        http.interceptors()
                .removeIf(each ->
                        each instanceof BearerTokens || each instanceof Impersonation || each instanceof RenewableTls);
        target.setHttpClient(http.build());
        target.setKeyManagers(null);
        if (target.getAuthentication("BearerToken") instanceof ApiKeyAuth key) {
            key.setApiKey(null);
            key.setApiKeyPrefix(null);
        }
    }
}
