package io.controllermanager.client.internal;

import io.controllermanager.time.Clock;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.util.credentials.Authentication;
import io.kubernetes.client.util.credentials.UsernamePasswordAuthentication;
import java.io.IOException;
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
        @Nullable ServerProxy proxy,
        Clock clock)
        implements ApiAccess {

    /** As client-go reads a token's file, and the kubeconfig's own tokens as well; a 401 renews earlier. */
    private static final Duration TOKEN_LIFETIME = Duration.ofMinutes(1);

    private static final String AUTHORITY = "certificate-authority";

    @Override
    public void configure(ApiClient target) {
        boolean verify = !cluster.flag("insecure-skip-tls-verify");
        AccessHeaders headers = AccessHeaders.of(user, cluster);
        Renewable<CertificateAuthority> authority = verify ? authority() : null;
        Authentication authentication = null;
        BearerTokens tokens = null;
        String name = user.string("username");
        String password = user.string("password");
        String token = user.string("token");
        String tokenFile = user.string("tokenFile");
        // A certificate proves who asks to TLS, the others to HTTP: both may be given. Of the latter what stands in
        // the file goes before what a plugin says, as in client-go; so does a certificate.
        PluginCredentials.Source minting = plugin();
        ClientCertificate own = certificate(user);
        Renewable<ClientCertificate> certificate =
                own == null ? null : renewable(own, () -> certificate(userNow.get()), Renewable.FILE_LIFETIME);
        if (tokenFile != null) {
            tokens = new BearerTokens(
                    () -> tokenNow(tokenFile), TOKEN_LIFETIME, clock, user.name() + ": tokenFile " + tokenFile);
        } else if (token != null) {
            tokens = new BearerTokens(this::tokenNow, TOKEN_LIFETIME, clock, user.name());
        } else if (name != null) {
            authentication = new UsernamePasswordAuthentication(name, password == null ? "" : password);
        } else if (own == null && minting != null) {
            PluginCredentials minted = PluginCredentials.start(minting, clock);
            ClientCertificate first = minted.certificate();
            certificate = first == null ? null : renewable(first, minted::certificate, Duration.ZERO);
            authentication = minted;
        }
        String tlsServerName = cluster.string("tls-server-name");
        new ClientAccess(server, verify, authority, tlsServerName, authentication, certificate, tokens, headers, proxy)
                .apply(target, source);
    }

    private PluginCredentials.@Nullable Source plugin() {
        if (user.values().get("exec") != null) {
            return ExecPlugin.of(user, cluster, server);
        }
        return user.values().get("auth-provider") == null ? null : OidcProvider.of(user);
    }

    private @Nullable Renewable<CertificateAuthority> authority() {
        String file = cluster.string(AUTHORITY);
        CertificateAuthority first = authority(cluster);
        return first == null
                ? null
                : CertificateAuthority.renewable(
                        file == null ? "in " + source : file, first, () -> authority(clusterNow.get()), clock);
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
            ClientCertificate first, Supplier<@Nullable ClientCertificate> from, Duration lifetime) {
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

    /** What the file has, else the token that stands beside it, as in client-go. */
    private @Nullable String tokenNow(String file) {
        try {
            String read =
                    Files.readString(Path.of(file), StandardCharsets.UTF_8).strip();
            return read.isEmpty() || !BearerTokens.isSendable(read) ? tokenNow() : read;
        } catch (IOException e) {
            return tokenNow();
        }
    }
}
