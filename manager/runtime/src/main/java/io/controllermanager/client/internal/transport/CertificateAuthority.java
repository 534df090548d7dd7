package io.controllermanager.client.internal.transport;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.regex.Pattern;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import okio.ByteString;

/**
 * Proves to us that it is the API server who answers: its certificate is one of these, or signed by one.
 *
 * @param certificates in PEM, one or more
 */
public record CertificateAuthority(ByteString certificates) {

    private static final Pattern BEGIN = Pattern.compile("-----BEGIN ");

    /**
     * Trusts these certificates and no others.
     *
     * @throws IllegalArgumentException if there is none, or one cannot be read, as in a file that is half written
     */
    public X509TrustManager trust() {
        try {
            KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
            trusted.load(null, null);
            int count = 0;
            List<X509Certificate> all = all(certificates);
            if (all.isEmpty()) {
                throw new IllegalArgumentException("it holds no certificate");
            }
            for (Certificate certificate : all) {
                trusted.setCertificateEntry("ca" + count++, certificate);
            }
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(trusted);
            for (TrustManager manager : factory.getTrustManagers()) {
                if (manager instanceof X509TrustManager usable) {
                    return usable;
                }
            }
            throw new IllegalStateException("this JVM has no trust manager for certificates");
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("this JVM cannot keep certificates", e);
        }
    }

    /**
     * The certificates of a text in PEM, in their order; none if it has none.
     *
     * @throws IllegalArgumentException if one cannot be read, as in a file that is half written
     */
    public static List<X509Certificate> all(ByteString pem) {
        List<X509Certificate> read;
        try {
            read =
                    CertificateFactory.getInstance("X.509")
                            .generateCertificates(new ByteArrayInputStream(pem.toByteArray()))
                            .stream()
                            .map(X509Certificate.class::cast)
                            .toList();
        } catch (CertificateException e) {
            throw new IllegalArgumentException("it holds something that is no certificate", e);
        }
        // Java 25 leaves out a last one that is cut off.
        if (BEGIN.matcher(pem.utf8()).results().count() > read.size()) {
            throw new IllegalArgumentException("it holds something that is no certificate");
        }
        return read;
    }
}
