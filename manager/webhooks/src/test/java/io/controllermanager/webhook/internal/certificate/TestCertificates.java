package io.controllermanager.webhook.internal.certificate;

import io.controllermanager.client.internal.transport.CertificateAuthority;
import io.controllermanager.client.internal.transport.ClientCertificate;
import io.controllermanager.time.Clock;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Objects;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import okhttp3.OkHttpClient;
import okhttp3.tls.HeldCertificate;
import okio.ByteString;
import org.jspecify.annotations.Nullable;

/** An authority for tests, leaves of it for localhost, and clients that trust it. */
public final class TestCertificates {

    private final CertificateMaker maker = new CertificateMaker("test", CertificateTimes.DEFAULTS, Clock.system());
    private final KeyedCertificate authority = maker.authority();
    private volatile @Nullable KeyedCertificate last;

    /** A new one for localhost. */
    public KeyedCertificate leaf() {
        KeyedCertificate made = maker.leaf(authority, List.of("localhost", "127.0.0.1"));
        last = made;
        return made;
    }

    /** The newest. */
    public KeyedCertificate last() {
        return Objects.requireNonNull(last);
    }

    public String authorityPem() {
        return authority.certificatePem();
    }

    /** A client that trusts this authority. */
    public OkHttpClient.Builder trusting() {
        return client(null, trust());
    }

    /** One that shows a certificate of this authority for a user. */
    public OkHttpClient.Builder trustingAs(String user) {
        return trustingAs(user, this);
    }

    /** The same, which trusts another authority. */
    public OkHttpClient.Builder trustingAs(String user, TestCertificates trusted) {
        HeldCertificate signer = new HeldCertificate(
                new KeyPair(authority.certificate().getPublicKey(), authority.key()), authority.certificate());
        HeldCertificate shown =
                new HeldCertificate.Builder().commonName(user).signedBy(signer).build();
        return client(
                new ClientCertificate(
                                ByteString.encodeUtf8(shown.certificatePem()),
                                ByteString.encodeUtf8(shown.privateKeyPkcs8Pem()))
                        .keys(),
                trusted.trust());
    }

    private X509TrustManager trust() {
        return new CertificateAuthority(ByteString.encodeUtf8(authorityPem())).trust();
    }

    private static OkHttpClient.Builder client(@Nullable KeyManager keys, X509TrustManager trust) {
        return new OkHttpClient.Builder().sslSocketFactory(context(keys, trust).getSocketFactory(), trust);
    }

    private static SSLContext context(@Nullable KeyManager keys, X509TrustManager trust) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys == null ? null : new KeyManager[] {keys}, new TrustManager[] {trust}, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** What a server on this machine shows to whoever connects now. */
    public X509Certificate shown(int port) throws IOException {
        try (SSLSocket socket =
                (SSLSocket) context(null, trust()).getSocketFactory().createSocket("localhost", port)) {
            socket.startHandshake();
            return (X509Certificate) socket.getSession().getPeerCertificates()[0];
        }
    }
}
