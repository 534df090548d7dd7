package io.controllermanager.testing.controlplane;

import java.nio.charset.StandardCharsets;
import java.security.PrivateKey;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.Base64;

/** A private key and the certificate of its public half. */
record Credentials(PrivateKey key, X509Certificate certificate) {

    private static final int LINE_LENGTH = 64;

    /** In PKCS #8, which Go and Java read alike. */
    String keyPem() {
        return pem("PRIVATE KEY", key.getEncoded());
    }

    String certificatePem() {
        try {
            return pem("CERTIFICATE", certificate.getEncoded());
        } catch (CertificateEncodingException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String pem(String type, byte[] bytes) {
        byte[] newline = "\n".getBytes(StandardCharsets.US_ASCII);
        String body = Base64.getMimeEncoder(LINE_LENGTH, newline).encodeToString(bytes);
        return "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n".formatted(type, body);
    }
}
