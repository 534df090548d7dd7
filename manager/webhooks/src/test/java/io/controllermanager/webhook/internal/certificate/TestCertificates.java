package io.controllermanager.webhook.internal.certificate;

import io.controllermanager.client.internal.transport.CertificateAuthority;
import io.controllermanager.client.internal.transport.ClientCertificate;
import io.controllermanager.time.Clock;
import java.io.IOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Objects;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import javax.security.auth.x500.X500Principal;
import okhttp3.OkHttpClient;
import okio.ByteString;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
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
        return trustingWith("CN=" + user, trusted);
    }

    /** The same for a whole subject, such as {@code OU=somebody}. */
    public OkHttpClient.Builder trustingWith(String subject, TestCertificates trusted) {
        KeyedCertificate pair = maker.authority();
        try {
            X509Certificate signed = new JcaX509CertificateConverter()
                    .getCertificate(new JcaX509v3CertificateBuilder(
                                    authority.certificate(),
                                    BigInteger.TWO,
                                    pair.certificate().getNotBefore(),
                                    pair.certificate().getNotAfter(),
                                    new X500Principal(subject),
                                    pair.certificate().getPublicKey())
                            .build(new JcaContentSignerBuilder("SHA256withECDSA").build(authority.key())));
            return client(
                    new ClientCertificate(
                                    ByteString.encodeUtf8(Pem.of(List.of(signed))),
                                    ByteString.encodeUtf8(pair.keyPem()))
                            .keys(),
                    trusted.trust());
        } catch (GeneralSecurityException | OperatorCreationException e) {
            throw new IllegalStateException(e);
        }
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

    /** A connection to a server on this machine. */
    public SSLSocket connect(int port) throws IOException {
        return (SSLSocket) context(null, trust()).getSocketFactory().createSocket("localhost", port);
    }

    /** What a server on this machine shows to whoever connects now. */
    public X509Certificate shown(int port) throws IOException {
        try (SSLSocket socket = connect(port)) {
            socket.startHandshake();
            return (X509Certificate) socket.getSession().getPeerCertificates()[0];
        }
    }
}
