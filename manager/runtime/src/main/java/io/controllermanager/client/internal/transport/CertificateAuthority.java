package io.controllermanager.client.internal.transport;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.Collection;
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
            for (Certificate certificate : read()) {
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

    private Collection<? extends Certificate> read() throws CertificateException {
        CertificateFactory factory = CertificateFactory.getInstance("X.509");
        Collection<? extends Certificate> read;
        try {
            read = factory.generateCertificates(new ByteArrayInputStream(certificates.toByteArray()));
        } catch (CertificateException e) {
            throw new IllegalArgumentException("it holds something that is no certificate", e);
        }
        // Java 25 leaves out a last one that is cut off.
        if (BEGIN.matcher(certificates.utf8()).results().count() > read.size()) {
            throw new IllegalArgumentException("it holds something that is no certificate");
        }
        if (read.isEmpty()) {
            throw new IllegalArgumentException("it holds no certificate");
        }
        return read;
    }
}
