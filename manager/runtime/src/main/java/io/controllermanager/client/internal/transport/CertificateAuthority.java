package io.controllermanager.client.internal.transport;

import io.controllermanager.time.Clock;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import okio.ByteString;
import org.jspecify.annotations.Nullable;

/**
 * Proves to us that it is the API server who answers: its certificate is one of these, or signed by one.
 *
 * @param certificates in PEM, one or more
 */
public record CertificateAuthority(ByteString certificates) {

    private static final Pattern BEGIN = Pattern.compile("-----BEGIN ");

    /**
     * One that is read again while it is in use.
     *
     * @param where comes after "certificate authority" in messages: a file, or that it is in the kubeconfig
     * @throws ApiAccessException if the first is of no use
     */
    public static Renewable<CertificateAuthority> renewable(
            String where, CertificateAuthority first, Supplier<@Nullable CertificateAuthority> source, Clock clock) {
        String name = "certificate authority " + where;
        try {
            return new Renewable<>(name, first, source, CertificateAuthority::trust, Renewable.FILE_LIFETIME, clock);
        } catch (IllegalArgumentException e) {
            throw new ApiAccessException("the " + name + " is of no use: " + e.getMessage(), e);
        }
    }

    /**
     * Trusts these certificates and no others.
     *
     * @throws IllegalArgumentException if there is none, or one cannot be read, as in a file that is half written
     */
    X509TrustManager trust() {
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
