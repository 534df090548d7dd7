package io.controllermanager.webhook.internal.certificate;

import io.controllermanager.client.internal.transport.ClientCertificate;
import io.controllermanager.time.Clock;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import okhttp3.tls.HeldCertificate;
import okio.ByteString;

/**
 * A certificate and its key: an authority's, or one that is served.
 *
 * @param chain the certificate, and those that lead from it to its authority
 * @param key its private key
 */
public record KeyedCertificate(List<X509Certificate> chain, PrivateKey key) {

    private static final int DNS_NAME = 2;
    private static final int IP_ADDRESS = 7;

    public KeyedCertificate {
        chain = List.copyOf(chain);
    }

    /**
     * Reads both from PEM.
     *
     * @throws IllegalArgumentException if one cannot be read, or they do not belong together
     */
    static KeyedCertificate of(String certificate, String key) {
        ClientCertificate pair = new ClientCertificate(ByteString.encodeUtf8(certificate), ByteString.encodeUtf8(key));
        // Refuses two that do not belong together.
        pair.end();
        return new KeyedCertificate(Pem.certificates(certificate), pair.privateKey());
    }

    /** One that nobody trusts. */
    public static KeyedCertificate ofNobody(Clock clock) {
        return new CertificateMaker("nobody", CertificateTimes.DEFAULTS, clock).authority();
    }

    /** The certificate itself. */
    public X509Certificate certificate() {
        return chain.get(0);
    }

    /** When it runs out. */
    public Instant end() {
        return certificate().getNotAfter().toInstant();
    }

    /** Whether one of the authorities has signed it, or the last of its chain. */
    boolean isSignedBy(Collection<X509Certificate> authorities) {
        X509Certificate last = chain.get(chain.size() - 1);
        return authorities.stream().anyMatch(authority -> authority.equals(last) || signed(authority, last));
    }

    private static boolean signed(X509Certificate authority, X509Certificate certificate) {
        try {
            certificate.verify(authority.getPublicKey());
            return true;
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    /** The names and addresses that it is good for. */
    Set<String> names() {
        Set<String> names = new TreeSet<>();
        try {
            Collection<List<?>> alternatives = certificate().getSubjectAlternativeNames();
            for (List<?> name : alternatives == null ? List.<List<?>>of() : alternatives) {
                if (name.get(0) instanceof Integer kind && (kind == DNS_NAME || kind == IP_ADDRESS)) {
                    names.add(String.valueOf(name.get(1)));
                }
            }
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("its names cannot be read", e);
        }
        return names;
    }

    String certificatePem() {
        return Pem.of(chain);
    }

    String keyPem() {
        return held().privateKeyPkcs8Pem();
    }

    /** As what makes certificates has it. */
    HeldCertificate held() {
        return new HeldCertificate(new KeyPair(certificate().getPublicKey(), key), certificate());
    }

    /** Without the key. */
    @Override
    public String toString() {
        return certificate().getSubjectX500Principal() + " until " + end();
    }
}
