package io.controllermanager.webhook.internal.certificate;

import io.controllermanager.time.Clock;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.regex.Pattern;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.CertIOException;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
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
        try {
            KeyPair pair = pair();
            X500Name subject = name(name + " " + Long.toHexString(random.nextLong()));
            X509v3CertificateBuilder made = builder(
                            subject, subject, clock.now().plus(times.authorityLifetime()), pair)
                    .addExtension(Extension.basicConstraints, true, new BasicConstraints(0))
                    .addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign))
                    .addExtension(
                            Extension.subjectKeyIdentifier,
                            false,
                            new JcaX509ExtensionUtils().createSubjectKeyIdentifier(pair.getPublic()));
            return signed(made, pair, pair);
        } catch (GeneralSecurityException | CertIOException | OperatorCreationException e) {
            throw new IllegalStateException("no authority can be made", e);
        }
    }

    /** A new leaf for a server of these names and addresses. */
    KeyedCertificate leaf(KeyedCertificate authority, Collection<String> names) {
        try {
            KeyPair pair = pair();
            X509Certificate signer = authority.certificate();
            GeneralName[] alternatives = names.stream()
                    .map(each -> new GeneralName(
                            ADDRESS.matcher(each).matches() ? GeneralName.iPAddress : GeneralName.dNSName, each))
                    .toArray(GeneralName[]::new);
            X500Name issuer =
                    X500Name.getInstance(signer.getSubjectX500Principal().getEncoded());
            X509v3CertificateBuilder made = builder(
                            issuer, name(name), times.leafEnd(clock.now(), authority.end()), pair)
                    .addExtension(Extension.basicConstraints, true, new BasicConstraints(false))
                    .addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature))
                    .addExtension(
                            Extension.extendedKeyUsage, false, new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth))
                    .addExtension(
                            Extension.authorityKeyIdentifier,
                            false,
                            new JcaX509ExtensionUtils().createAuthorityKeyIdentifier(signer.getPublicKey()))
                    .addExtension(Extension.subjectAlternativeName, false, new GeneralNames(alternatives));
            return signed(made, pair, new KeyPair(signer.getPublicKey(), authority.key()));
        } catch (GeneralSecurityException | CertIOException | OperatorCreationException e) {
            throw new IllegalStateException("no certificate can be made", e);
        }
    }

    private KeyPair pair() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"), random);
        return generator.generateKeyPair();
    }

    private X509v3CertificateBuilder builder(X500Name issuer, X500Name subject, Instant end, KeyPair pair) {
        return new JcaX509v3CertificateBuilder(
                issuer,
                new BigInteger(127, random),
                Date.from(clock.now().minus(CLOCK_SKEW)),
                Date.from(end),
                subject,
                pair.getPublic());
    }

    private static X500Name name(String common) {
        return new X500NameBuilder().addRDN(BCStyle.CN, common).build();
    }

    private static KeyedCertificate signed(X509v3CertificateBuilder certificate, KeyPair subject, KeyPair signer)
            throws GeneralSecurityException, OperatorCreationException {
        X509Certificate made = new JcaX509CertificateConverter()
                .getCertificate(
                        certificate.build(new JcaContentSignerBuilder("SHA256withECDSA").build(signer.getPrivate())));
        return new KeyedCertificate(List.of(made), subject.getPrivate());
    }
}
