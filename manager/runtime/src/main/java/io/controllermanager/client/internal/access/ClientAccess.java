package io.controllermanager.client.internal.access;

import io.controllermanager.client.internal.transport.ApiAccessException;
import io.controllermanager.client.internal.transport.CertificateAuthority;
import io.controllermanager.client.internal.transport.ClientCertificate;
import io.controllermanager.client.internal.transport.ProxyRoute;
import io.controllermanager.client.internal.transport.Renewable;
import io.controllermanager.client.internal.transport.RenewableTls;
import io.controllermanager.client.internal.transport.ServerProxy;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.auth.ApiKeyAuth;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import javax.net.ssl.HostnameVerifier;
import javax.net.ssl.KeyManager;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/**
 * What it takes to point a client at an API server. Where there is no authority, those of the JVM count; where there is no
 * name for TLS, the URL's host does; and where there is no proxy, the client goes its own way.
 */
record ClientAccess(
        String server,
        @Nullable String tlsServerName,
        boolean verifyTls,
        @Nullable Renewable<CertificateAuthority> authority,
        @Nullable Renewable<ClientCertificate> certificate,
        List<Interceptor> headers,
        @Nullable ServerProxy proxy) {

    /** Does it, in place. Interceptors that are not credentials stay, before the credentials. */
    void apply(ApiClient target, String source) {
        try {
            target.setBasePath(server);
            // What is renewed takes the place of client-java's TLS, which would read it once.
            target.setSslCaCert(null);
            forgetCredentials(target);
            target.setVerifyingSsl(verifyTls);
            if (certificate != null) {
                // For who asks the client how it is; TLS itself is the next thing.
                target.setKeyManagers(new KeyManager[] {certificate.value().keys()});
            }
            OkHttpClient present = target.getHttpClient();
            OkHttpClient.Builder http = present.newBuilder();
            // Before what looks whether the certificate for TLS is another, which a plugin may give.
            http.interceptors().addAll(headers);
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
            target.setHttpClient(ProxyRoute.lead(http.build(), proxy));
        } catch (RuntimeException e) {
            PluginCredentials.of(headers).forEach(PluginCredentials::close);
            if (e instanceof ApiAccessException) {
                throw e;
            }
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
