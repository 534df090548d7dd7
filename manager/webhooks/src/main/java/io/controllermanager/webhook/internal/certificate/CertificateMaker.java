package io.controllermanager.webhook.internal.certificate;

import io.controllermanager.time.Clock;
import java.io.IOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.ASN1Encodable;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** Makes authorities and what they sign, all on the curve P-256. Safe for use by several threads. */
final class CertificateMaker {

    /** Other machines' clocks may be behind. */
    private static final Duration CLOCK_SKEW = Duration.ofHours(1);

    private static final Pattern ADDRESS = Pattern.compile("[0-9.]+|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*");

    private final SecureRandom random = new SecureRandom();
    private final String name;
    private final CertificateTimes times;
    private final Clock clock;

    /** Makes certificates of whoever has this name. */
    CertificateMaker(String name, CertificateTimes times, Clock clock) {
        // A common name has at most 64 characters, and an authority's ends with a number.
        this.name = name.substring(0, Math.min(name.length(), 47));
        this.times = times;
        this.clock = clock;
    }

    /** A new authority. Its name is no other's, since chains are built by names. */
    KeyedCertificate authority() {
        KeyPair pair = pair();
        X500Principal self = new X500Principal("CN=" + name + " " + Long.toHexString(random.nextLong()));
        Instant end = clock.now().plus(times.authorityLifetime());
        return signed(
                new JcaX509v3CertificateBuilder(self, serial(), begin(), Date.from(end), self, pair.getPublic()),
                pair.getPrivate(),
                pair.getPrivate(),
                Map.of(
                        Extension.basicConstraints, new BasicConstraints(0),
                        Extension.keyUsage, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign)));
    }

    /** A new leaf for a server of these names and addresses. */
    KeyedCertificate leaf(KeyedCertificate authority, Collection<String> names) {
        KeyPair pair = pair();
        Date end = Date.from(times.leafEnd(clock.now(), authority.end()));
        X500Principal self = new X500Principal("CN=" + name);
        GeneralName[] alternatives = names.stream()
                .map(each -> new GeneralName(
                        ADDRESS.matcher(each).matches() ? GeneralName.iPAddress : GeneralName.dNSName, each))
                .toArray(GeneralName[]::new);
        return signed(
                new JcaX509v3CertificateBuilder(
                        authority.certificate(), serial(), begin(), end, self, pair.getPublic()),
                pair.getPrivate(),
                authority.key(),
                Map.of(
                        Extension.basicConstraints, new BasicConstraints(false),
                        Extension.keyUsage, new KeyUsage(KeyUsage.digitalSignature),
                        Extension.extendedKeyUsage, new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth),
                        Extension.subjectAlternativeName, new GeneralNames(alternatives)));
    }

    private KeyPair pair() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"), random);
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM has no P-256", e);
        }
    }

    private BigInteger serial() {
        return new BigInteger(127, random);
    }

    private Date begin() {
        return Date.from(clock.now().minus(CLOCK_SKEW));
    }

    private static KeyedCertificate signed(
            JcaX509v3CertificateBuilder certificate,
            PrivateKey key,
            PrivateKey signer,
            Map<ASN1ObjectIdentifier, ASN1Encodable> extensions) {
        try {
            for (Map.Entry<ASN1ObjectIdentifier, ASN1Encodable> each : extensions.entrySet()) {
                boolean critical =
                        List.of(Extension.basicConstraints, Extension.keyUsage).contains(each.getKey());
                certificate.addExtension(each.getKey(), critical, each.getValue());
            }
            X509Certificate made = new JcaX509CertificateConverter()
                    .getCertificate(certificate.build(new JcaContentSignerBuilder("SHA256withECDSA").build(signer)));
            return new KeyedCertificate(List.of(made), key);
        } catch (GeneralSecurityException | IOException | OperatorCreationException e) {
            throw new IllegalStateException("no certificate can be made", e);
        }
    }
}
