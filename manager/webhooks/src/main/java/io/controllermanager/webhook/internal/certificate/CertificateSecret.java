package io.controllermanager.webhook.internal.certificate;

import io.controllermanager.client.internal.request.FailureMessage;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a Secret, or a folder, has of certificates. What cannot be read is as what is not there.
 *
 * @param authorities all that are to be trusted
 * @param leaf what is served; null if nothing that these authorities have signed is there
 * @param signer the authority that signs; null if its key is not there
 * @param next the authority that will sign once it is trusted everywhere; null while the authority does not change
 * @param faults what cannot be read, and why
 */
record CertificateSecret(
        List<X509Certificate> authorities,
        @Nullable KeyedCertificate leaf,
        @Nullable KeyedCertificate signer,
        @Nullable KeyedCertificate next,
        List<String> faults) {

    static final String AUTHORITIES = "ca.crt";
    static final String LEAF = "tls.crt";
    static final String LEAF_KEY = "tls.key";
    static final String SIGNER_KEY = "ca.key";
    static final String NEXT = "ca-next.crt";
    static final String NEXT_KEY = "ca-next.key";

    CertificateSecret {
        authorities = List.copyOf(authorities);
        faults = List.copyOf(faults);
    }

    /** Reads the data of a Secret. */
    static CertificateSecret of(Map<String, byte[]> data) {
        return of(data, true);
    }

    /**
     * Reads the data of a Secret or the files of a folder.
     *
     * @param signed whether a leaf is of use only if one of the authorities that are there has signed it
     */
    static CertificateSecret of(Map<String, byte[]> data, boolean signed) {
        Map<String, String> text = new HashMap<>();
        data.forEach((key, value) -> text.put(key, new String(value, StandardCharsets.UTF_8)));
        List<String> faults = new ArrayList<>();
        List<X509Certificate> authorities = authorities(text, faults);
        KeyedCertificate leaf = pair(text, LEAF, LEAF_KEY, faults);
        if (signed && leaf != null && !leaf.isSignedBy(authorities)) {
            faults.add(LEAF + ": none of " + AUTHORITIES + " has signed it");
            leaf = null;
        }
        return new CertificateSecret(
                authorities, leaf, signer(text, authorities, faults), pair(text, NEXT, NEXT_KEY, faults), faults);
    }

    private static List<X509Certificate> authorities(Map<String, String> text, List<String> faults) {
        try {
            return Pem.certificates(text.getOrDefault(AUTHORITIES, ""));
        } catch (IllegalArgumentException e) {
            faults.add(AUTHORITIES + ": " + FailureMessage.words(e));
            return List.of();
        }
    }

    private static @Nullable KeyedCertificate pair(
            Map<String, String> text, String certificate, String key, List<String> faults) {
        if (isEmpty(text, certificate) && isEmpty(text, key)) {
            return null;
        }
        try {
            return KeyedCertificate.of(text.getOrDefault(certificate, ""), text.getOrDefault(key, ""));
        } catch (IllegalArgumentException e) {
            faults.add(certificate + " and " + key + ": " + FailureMessage.words(e));
            return null;
        }
    }

    /** The one whose key is there. */
    private static @Nullable KeyedCertificate signer(
            Map<String, String> text, List<X509Certificate> authorities, List<String> faults) {
        if (isEmpty(text, SIGNER_KEY)) {
            return null;
        }
        for (X509Certificate authority : authorities) {
            try {
                return KeyedCertificate.of(Pem.of(List.of(authority)), text.getOrDefault(SIGNER_KEY, ""));
            } catch (IllegalArgumentException e) {
                // It is another's, or of no use for any.
            }
        }
        faults.add(SIGNER_KEY + ": it is the key of none of " + AUTHORITIES);
        return null;
    }

    private static boolean isEmpty(Map<String, String> text, String key) {
        return text.getOrDefault(key, "").isBlank();
    }

    /** Whether it has something to serve at a time. */
    boolean isServable(Instant now) {
        return leaf != null && now.isBefore(leaf.end());
    }

    /** An authority and its first leaf, and nothing else. */
    static CertificateSecret first(KeyedCertificate authority, KeyedCertificate leaf) {
        return new CertificateSecret(authority.chain(), leaf, authority, null, List.of());
    }

    /** With another authority to be trusted; those that have run out leave. */
    CertificateSecret withNext(KeyedCertificate authority, Instant now) {
        List<X509Certificate> trusted = Stream.concat(
                        authorities.stream()
                                .filter(each -> now.isBefore(each.getNotAfter().toInstant())),
                        authority.chain().stream())
                .toList();
        return new CertificateSecret(trusted, leaf, signer, authority, List.of());
    }

    /** With the next authority signing, and a leaf that it has signed. */
    CertificateSecret signedByNext(KeyedCertificate newLeaf) {
        return new CertificateSecret(authorities, newLeaf, next, null, List.of());
    }

    /** With another leaf of the same authority. */
    CertificateSecret withLeaf(KeyedCertificate newLeaf) {
        return new CertificateSecret(authorities, newLeaf, signer, next, List.of());
    }

    /** What the Secret's data is to be, in base64; null where a key is to go. */
    Map<String, @Nullable String> data() {
        Map<String, @Nullable String> data = new HashMap<>();
        data.put(AUTHORITIES, Pem.base64(Pem.of(authorities)));
        data.put(LEAF, text(leaf, KeyedCertificate::certificatePem));
        data.put(LEAF_KEY, text(leaf, KeyedCertificate::keyPem));
        data.put(SIGNER_KEY, text(signer, KeyedCertificate::keyPem));
        data.put(NEXT, text(next, KeyedCertificate::certificatePem));
        data.put(NEXT_KEY, text(next, KeyedCertificate::keyPem));
        return data;
    }

    private static @Nullable String text(@Nullable KeyedCertificate pair, Function<KeyedCertificate, String> pem) {
        return pair == null ? null : Pem.base64(pem.apply(pair));
    }
}
