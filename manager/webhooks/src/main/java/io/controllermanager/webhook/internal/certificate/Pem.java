package io.controllermanager.webhook.internal.certificate;

import io.controllermanager.client.internal.transport.CertificateAuthority;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import okio.ByteString;

/** Certificates and keys as text. */
public final class Pem {

    private static final Base64.Encoder LINES = Base64.getMimeEncoder(64, new byte[] {'\n'});

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
        return certificates.stream()
                .map(certificate -> block("CERTIFICATE", encoded(certificate)))
                .collect(Collectors.joining());
    }

    static String of(PrivateKey key) {
        return block("PRIVATE KEY", key.getEncoded());
    }

    private static byte[] encoded(X509Certificate certificate) {
        try {
            return certificate.getEncoded();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a certificate has no encoding", e);
        }
    }

    private static String block(String kind, byte[] content) {
        return "-----BEGIN " + kind + "-----\n" + LINES.encodeToString(content) + "\n-----END " + kind + "-----\n";
    }
}
