package io.controllermanager.client.internal;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.util.credentials.ClientCertificateAuthentication;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.X509KeyManager;
import okio.ByteString;
import org.jspecify.annotations.Nullable;

/**
 * Proves to the API server who asks.
 *
 * @param certificate in PEM
 * @param key in PEM
 */
record ClientCertificate(ByteString certificate, ByteString key) {

    /**
     * As TLS asks for it.
     *
     * @throws RuntimeException if it cannot be read
     */
    X509KeyManager keys() {
        ApiClient reading = new ApiClient();
        new ClientCertificateAuthentication(certificate.toByteArray(), key.toByteArray()).provide(reading);
        for (KeyManager manager : reading.getKeyManagers()) {
            if (manager instanceof X509KeyManager usable) {
                return usable;
            }
        }
        throw new IllegalArgumentException("there is no key");
    }

    /**
     * When it runs out, null if that is not known.
     *
     * @throws RuntimeException if it is of no use
     */
    @Nullable
    Instant end() {
        X509KeyManager manager = keys();
        for (String type : List.of("EC", "RSA", "EdDSA", "DSA")) {
            String[] aliases = manager.getClientAliases(type, null);
            if (aliases != null && aliases.length > 0) {
                X509Certificate[] chain = manager.getCertificateChain(aliases[0]);
                if (chain != null && chain.length > 0) {
                    requirePair(chain[0], manager.getPrivateKey(aliases[0]));
                    return chain[0].getNotAfter().toInstant();
                }
            }
        }
        return null;
    }

    /** Two files may be read while one has been replaced and the other has not. */
    private static void requirePair(X509Certificate certificate, PrivateKey key) {
        String algorithm = switch (key.getAlgorithm()) {
            case "EC" -> "SHA256withECDSA";
            case "RSA" -> "SHA256withRSA";
            default -> null;
        };
        if (algorithm == null) {
            return;
        }
        try {
            Signature signature = Signature.getInstance(algorithm);
            signature.initSign(key);
            byte[] signed = signature.sign();
            signature.initVerify(certificate.getPublicKey());
            if (signature.verify(signed)) {
                return;
            }
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("the certificate and the key do not belong together", e);
        }
        throw new IllegalArgumentException("the certificate and the key do not belong together");
    }
}
