package io.controllermanager.client.internal.transport;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import okio.ByteString;

/**
 * Proves to the API server who asks.
 *
 * @param certificate in PEM, with what leads to the authority behind it
 * @param key in PEM
 */
public record ClientCertificate(ByteString certificate, ByteString key) {

    /** Of a store that is in memory alone. */
    private static final char[] PASSWORD = {};

    private static final byte[] PROBE = {1};

    /**
     * As TLS asks for it.
     *
     * @throws IllegalArgumentException if it cannot be read
     */
    public KeyManager keys() {
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, PASSWORD);
            store.setKeyEntry("client", privateKey(), PASSWORD, chain());
            KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            managers.init(store, PASSWORD);
            return managers.getKeyManagers()[0];
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    /**
     * When it runs out.
     *
     * @throws IllegalArgumentException if it is of no use
     */
    public Instant end() {
        try {
            X509Certificate own = (X509Certificate) chain()[0];
            requirePair(own, privateKey());
            return own.getNotAfter().toInstant();
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    /**
     * The key, as signatures need it.
     *
     * @throws IllegalArgumentException if it cannot be read
     */
    public PrivateKey privateKey() {
        return PemPrivateKey.read(key.utf8());
    }

    private Certificate[] chain() throws GeneralSecurityException {
        Certificate[] chain = CertificateFactory.getInstance("X.509")
                .generateCertificates(new ByteArrayInputStream(certificate.toByteArray()))
                .toArray(Certificate[]::new);
        if (chain.length == 0) {
            throw new IllegalArgumentException("there is no certificate");
        }
        return chain;
    }

    /** Two files may be read while one has been replaced and the other has not. */
    private static void requirePair(X509Certificate certificate, PrivateKey key) {
        String algorithm = switch (key.getAlgorithm()) {
            case "EC" -> "SHA256withECDSA";
            case "RSA" -> "SHA256withRSA";
            default -> key.getAlgorithm();
        };
        try {
            Signature signature = Signature.getInstance(algorithm);
            signature.initSign(key);
            // JDK 17 refuses its own Ed25519 signature of nothing.
            signature.update(PROBE);
            byte[] signed = signature.sign();
            signature.initVerify(certificate.getPublicKey());
            signature.update(PROBE);
            if (!signature.verify(signed)) {
                throw new SignatureException("the key's signature is not the certificate's");
            }
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("the certificate and the key do not belong together", e);
        }
    }
}
