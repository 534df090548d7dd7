package io.controllermanager.webhook.internal.certificate;

import io.controllermanager.client.internal.transport.CertificateAuthority;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.stream.Collectors;
import okhttp3.tls.Certificates;
import okio.ByteString;

/** Certificates as text. */
public final class Pem {

    private Pem() {}

    /**
     * The certificates of a text, in their order; none if it has none.
     *
     * @throws IllegalArgumentException if it holds something that cannot be read
     */
    public static List<X509Certificate> certificates(String pem) {
        return pem.isBlank() ? List.of() : CertificateAuthority.all(ByteString.encodeUtf8(pem));
    }

    static String of(List<X509Certificate> certificates) {
        return certificates.stream().map(Certificates::certificatePem).collect(Collectors.joining());
    }

    /** As Secrets and {@code caBundle} have text. */
    static String base64(String text) {
        return ByteString.encodeUtf8(text).base64();
    }
}
