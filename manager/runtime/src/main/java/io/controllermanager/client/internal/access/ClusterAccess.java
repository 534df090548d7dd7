package io.controllermanager.client.internal.access;

import io.controllermanager.client.internal.request.FailureMessage;
import io.controllermanager.client.internal.transport.ApiAccessException;
import io.controllermanager.client.internal.transport.CertificateAuthority;
import io.controllermanager.client.internal.transport.ClientCertificate;
import io.controllermanager.client.internal.transport.ProxyRoute;
import io.controllermanager.client.internal.transport.Renewable;
import io.controllermanager.client.internal.transport.RenewableTls;
import io.controllermanager.client.internal.transport.ServerProxy;
import io.controllermanager.time.Clock;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.auth.ApiKeyAuth;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import javax.net.ssl.HostnameVerifier;
import javax.net.ssl.KeyManager;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okio.ByteString;
import org.jspecify.annotations.Nullable;

/**
 * The way to a cluster as one of its users: those of a kubeconfig's context, or of a pod's service account in a kubeconfig's
 * terms. The files that they name, and the kubeconfig itself, are read again while they are in use, and files and plugins when
 * what they have given does not do any more. Where there is no authority, those of the JVM count; where there is no name for TLS,
 * the URL's host does; and where there is no proxy, the client goes its own way.
 */
record ClusterAccess(
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

    private static final String AUTHORITY = "certificate-authority";

    private static final Pattern DNS_LABEL = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");

    /**
     * Refuses what kubectl does: client-go's {@code tools/clientcmd/validation.go}, and what {@code transport/transport.go} and
     * {@code rest/transport.go} refuse later.
     */
    static void check(KubeconfigEntry context, KubeconfigEntry cluster, KubeconfigEntry user, boolean secure) {
        String namespace = context.string("namespace");
        context.refuse(
                namespace != null && !DNS_LABEL.matcher(namespace).matches(),
                "namespace \"" + namespace + "\" is no name of a namespace");
        boolean authority = cluster.one(AUTHORITY);
        cluster.refuse(
                cluster.flag("insecure-skip-tls-verify") && authority && secure,
                "certificate-authority is not allowed together with insecure-skip-tls-verify");
        String name = cluster.string("tls-server-name");
        cluster.refuse(
                name != null && !name.contains(":") && HttpUrl.parse("https://" + name) == null,
                "tls-server-name \"" + name + "\" is no host name");
        if (user.one("client-certificate")) {
            user.refuse(!user.one("client-key"), "client-certificate needs client-key or client-key-data");
        }
        boolean basic = user.string("username") != null || user.string("password") != null;
        for (String field : List.of("token", "tokenFile")) {
            user.refuse(basic && user.string(field) != null, field + " and username are both given, one is allowed");
        }
        String token = user.string("token");
        user.refuse(
                token != null && !BearerTokens.isSendable(token),
                "token has a character, such as a line's end, that cannot be sent");
        boolean as = user.string("as") != null;
        user.refuse(!as && user.string("as-uid") != null, "as-uid needs as, the user's name");
        user.refuse(!as && !user.strings("as-groups").isEmpty(), "as-groups needs as, the user's name");
        user.refuse(!as && !user.lists("as-user-extra").isEmpty(), "as-user-extra needs as, the user's name");
    }

    @Override
    public void configure(ApiClient target) {
        List<Interceptor> headers = new ArrayList<>(List.of(AccessHeaders.of(user, cluster)));
        Renewable<CertificateAuthority> authority = verifiesTls() ? authority() : null;
        String token = user.string("token");
        String tokenFile = user.string("tokenFile");
        // A certificate proves who asks to TLS, the others to HTTP: both may be given. Of the latter what stands in
        // the file goes before what a plugin says, as in client-go; so does a certificate.
        PluginCredentials.Source minting = plugin();
        ClientCertificate own = certificate(user);
        Renewable<ClientCertificate> certificate =
                own == null ? null : renewable(own, () -> certificate(userNow.get()), Renewable.FILE_LIFETIME);
        if (tokenFile != null) {
            headers.add(new BearerTokens(() -> tokenNow(tokenFile), clock, user.name() + ": tokenFile " + tokenFile));
        } else if (token != null) {
            headers.add(new BearerTokens(this::tokenNow, clock, user.name()));
        } else if (user.string("username") == null && own == null && minting != null) {
            PluginCredentials minted = PluginCredentials.start(minting, clock);
            ClientCertificate first = minted.certificate();
            certificate = first == null ? null : renewable(first, minted::certificate, Duration.ZERO);
            headers.add(minted);
        }
        try {
            apply(target, authority, certificate, headers);
        } catch (RuntimeException e) {
            PluginCredentials.of(headers).forEach(PluginCredentials::close);
            if (e instanceof ApiAccessException) {
                throw e;
            }
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new ApiAccessException(source + ": its certificates or keys are of no use: " + cause.getMessage(), e);
        }
    }

    /** Interceptors that are not credentials stay, before the credentials. */
    private void apply(
            ApiClient target,
            @Nullable Renewable<CertificateAuthority> authority,
            @Nullable Renewable<ClientCertificate> certificate,
            List<Interceptor> headers) {
        target.setBasePath(server);
        // What is renewed takes the place of client-java's TLS, which would read it once.
        target.setSslCaCert(null);
        forgetCredentials(target);
        target.setVerifyingSsl(verifiesTls());
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
            String tlsServerName = cluster.string("tls-server-name");
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

    private boolean verifiesTls() {
        return !cluster.flag("insecure-skip-tls-verify");
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
        if (first == null) {
            return null;
        }
        String name = "certificate authority " + (file == null ? "in " + source : file);
        try {
            return new Renewable<>(
                    name,
                    first,
                    () -> authority(clusterNow.get()),
                    CertificateAuthority::trust,
                    Renewable.FILE_LIFETIME,
                    clock);
        } catch (IllegalArgumentException e) {
            throw new ApiAccessException("the " + name + " is of no use: " + e.getMessage(), e);
        }
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
        String read = ApiAccessResolver.read(Path.of(file));
        return read == null || !BearerTokens.isSendable(read) ? tokenNow() : read;
    }
}
