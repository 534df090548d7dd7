package io.controllermanager.client.internal;

import io.controllermanager.time.Clock;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.util.credentials.Authentication;
import io.kubernetes.client.util.credentials.UsernamePasswordAuthentication;
import java.io.IOException;
import java.net.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Supplier;
import okio.ByteString;
import org.jspecify.annotations.Nullable;

/**
 * The way that a kubeconfig's context shows. The files that it names, and the kubeconfig itself, are read again while they
 * are in use, and files and plugins when what they have given does not do any more.
 *
 * @param server the API server's URL
 * @param namespace the context's, null if it names none
 * @param source the kubeconfig and its context, for messages
 * @param cluster the context's cluster
 * @param clusterNow reads the cluster again
 * @param user the context's user
 * @param userNow reads the user again
 * @param impersonation whom to pass for, null for nobody
 * @param proxy what all connections go through, null for what the client has
 */
record KubeconfigAccess(
        String server,
        @Nullable String namespace,
        String source,
        KubeconfigEntry cluster,
        Supplier<KubeconfigEntry> clusterNow,
        KubeconfigEntry user,
        Supplier<KubeconfigEntry> userNow,
        @Nullable Impersonation impersonation,
        @Nullable Proxy proxy,
        Clock clock)
        implements ApiAccess {

    /** As client-go reads a token's file, and the kubeconfig's own tokens as well; a 401 renews earlier. */
    private static final Duration TOKEN_LIFETIME = Duration.ofMinutes(1);

    /** Plugins say no lifetime through client-java. */
    private static final Duration PLUGIN_TOKEN_LIFETIME = Duration.ofMinutes(10);

    private static final String AUTHORITY = "certificate-authority";

    @Override
    public void configure(ApiClient target) {
        Authentication authentication = null;
        BearerTokens tokens = null;
        String name = user.string("username");
        String password = user.string("password");
        String token = user.string("token");
        String tokenFile = user.string("tokenFile");
        // A certificate proves who asks to TLS, the others to HTTP: both may be given. Of the latter what stands in
        // the file goes before what a plugin says, as in client-go.
        ClientCertificate own = certificate(user);
        Renewable<ClientCertificate> certificate =
                own == null ? null : renewable(own, () -> certificate(userNow.get()), Renewable.FILE_LIFETIME);
        if (token != null && !token.isEmpty()) {
            tokens = tokens(this::tokenNow, TOKEN_LIFETIME);
        } else if (tokenFile != null && !tokenFile.isEmpty()) {
            tokens = tokens(() -> readToken(Path.of(tokenFile)), TOKEN_LIFETIME);
        } else if (name != null && password != null) {
            authentication = new UsernamePasswordAuthentication(name, password);
        } else if (user.values().containsKey("exec") || user.values().containsKey("auth-provider")) {
            CredentialPlugin plugin = new CredentialPlugin(user.values());
            CredentialPlugin.Given given = plugin.ask();
            if (given == null) {
                throw new ApiAccessException(user.name() + ": the credential plugin gave nothing of use");
            }
            ClientCertificate minted = given.certificate();
            String mintedToken = given.token();
            if (minted != null) {
                certificate = renewable(minted, plugin::certificate, null);
            }
            if (minted == null || (mintedToken != null && !mintedToken.isEmpty())) {
                tokens = tokens(plugin.tokens(mintedToken), PLUGIN_TOKEN_LIFETIME);
            }
        }
        boolean verify = !Boolean.TRUE.equals(cluster.values().get("insecure-skip-tls-verify"));
        new ClientAccess(
                        server,
                        verify,
                        verify ? authority() : null,
                        authentication,
                        certificate,
                        tokens,
                        impersonation,
                        proxy)
                .apply(target, source);
    }

    private @Nullable Renewable<CertificateAuthority> authority() {
        String file = cluster.string(AUTHORITY);
        CertificateAuthority first = authority(cluster);
        return first == null
                ? null
                : CertificateAuthority.renewable(
                        file == null || cluster.string(AUTHORITY + "-data") != null ? "in " + source : file,
                        first,
                        () -> authority(clusterNow.get()),
                        clock);
    }

    /** What stands in the kubeconfig, or in the file that it names. */
    private static @Nullable CertificateAuthority authority(KubeconfigEntry owner) {
        byte[] certificates = owner.data(AUTHORITY);
        return certificates == null ? null : new CertificateAuthority(ByteString.of(certificates));
    }

    /** What stands in the kubeconfig, or in the files that it names. */
    private static @Nullable ClientCertificate certificate(KubeconfigEntry owner) {
        byte[] certificate = owner.data("client-certificate");
        byte[] key = owner.data("client-key");
        return certificate == null || key == null
                ? null
                : new ClientCertificate(ByteString.of(certificate), ByteString.of(key));
    }

    private Renewable<ClientCertificate> renewable(
            ClientCertificate first, Supplier<@Nullable ClientCertificate> from, @Nullable Duration lifetime) {
        try {
            return new Renewable<>(
                    "client certificate of " + user.name(), first, from, ClientCertificate::end, lifetime, clock);
        } catch (RuntimeException e) {
            throw new ApiAccessException(
                    user.name() + ": the client certificate or its key is of no use: " + FailureMessage.words(e), e);
        }
    }

    private @Nullable String tokenNow() {
        try {
            return userNow.get().string("token");
        } catch (ApiAccessException e) {
            return null;
        }
    }

    private BearerTokens tokens(Supplier<@Nullable String> from, @Nullable Duration lifetime) {
        return new BearerTokens(from, lifetime, clock, user.name());
    }

    private static @Nullable String readToken(Path file) {
        try {
            return Files.readString(file, StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            return null;
        }
    }
}
