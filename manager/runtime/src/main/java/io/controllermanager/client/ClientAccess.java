package io.controllermanager.client;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.auth.ApiKeyAuth;
import io.kubernetes.client.util.credentials.Authentication;
import java.io.ByteArrayInputStream;
import java.net.Proxy;
import javax.net.ssl.KeyManager;
import okhttp3.OkHttpClient;
import okio.ByteString;
import org.jspecify.annotations.Nullable;

/**
 * What it takes to point a client at an API server.
 *
 * @param server the URL
 * @param verifyTls whether the server's certificate is checked
 * @param authority the certificates to check it against, null for those of the JVM
 * @param authentication client-java's way of proving who asks, null if there is none
 * @param certificates client certificates, null if there are none
 * @param tokens bearer tokens, null if there are none
 * @param impersonation whom to pass for, null for nobody
 * @param proxy what all connections go through, null for what the client has
 */
record ClientAccess(
        String server,
        boolean verifyTls,
        @Nullable ByteString authority,
        @Nullable Authentication authentication,
        @Nullable ClientCertificates certificates,
        @Nullable BearerTokens tokens,
        @Nullable Impersonation impersonation,
        @Nullable Proxy proxy) {

    /** Without impersonation and proxy. */
    ClientAccess(
            String server,
            boolean verifyTls,
            @Nullable ByteString authority,
            @Nullable Authentication authentication,
            @Nullable BearerTokens tokens) {
        this(server, verifyTls, authority, authentication, null, tokens, null, null);
    }

    /** Does it, in place. Interceptors that are not credentials stay, before the credentials. */
    void apply(ApiClient target, String source) {
        try {
            target.setBasePath(server);
            // The client reads the authority's stream anew at every change of a TLS setting, and the stream is good for
            // one reading: so it goes away first and comes last.
            target.setSslCaCert(null);
            forgetCredentials(target);
            target.setVerifyingSsl(verifyTls);
            if (authentication != null) {
                authentication.provide(target);
            }
            if (certificates != null) {
                target.setKeyManagers(new KeyManager[] {certificates.keyManager()});
            }
            OkHttpClient.Builder http = target.getHttpClient().newBuilder();
            if (certificates != null) {
                http.interceptors().add(certificates);
                http.networkInterceptors().add(certificates);
            }
            if (tokens != null) {
                http.interceptors().add(tokens);
            }
            if (impersonation != null) {
                http.interceptors().add(impersonation);
            }
            http.proxySelector(ClusterProxy.instead(target.getHttpClient().proxySelector(), proxy));
            target.setHttpClient(http.build());
            if (authority != null) {
                target.setSslCaCert(new ByteArrayInputStream(authority.toByteArray()));
            }
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
                .removeIf(each -> each instanceof BearerTokens
                        || each instanceof Impersonation
                        || each instanceof ClientCertificates);
        http.networkInterceptors().removeIf(ClientCertificates.class::isInstance);
        target.setHttpClient(http.build());
        target.setKeyManagers(null);
        if (target.getAuthentication("BearerToken") instanceof ApiKeyAuth key) {
            key.setApiKey(null);
            key.setApiKeyPrefix(null);
        }
    }
}
