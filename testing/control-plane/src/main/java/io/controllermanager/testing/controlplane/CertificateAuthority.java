package io.controllermanager.testing.controlplane;

import java.io.IOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import org.bouncycastle.asn1.ASN1Encodable;
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
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** Signs the certificates of one control plane, whose API server trusts it and nobody else. Safe for any thread. */
final class CertificateAuthority {

    private static final Duration LIFETIME = Duration.ofDays(30);
    /** Clocks of virtual machines jump back a little at times. */
    private static final Duration CLOCK_SKEW = Duration.ofHours(1);

    private static final char[] NO_PASSWORD = new char[0];

    private final SecureRandom random = new SecureRandom();
    private final Credentials self;

    private CertificateAuthority() throws GeneralSecurityException, OperatorCreationException, CertIOException {
        KeyPair pair = keyPair();
        X500Name name =
                new X500NameBuilder().addRDN(BCStyle.CN, "test-control-plane").build();
        X509v3CertificateBuilder certificate = certificate(name, name, pair, LIFETIME)
                .addExtension(Extension.basicConstraints, true, new BasicConstraints(true))
                .addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign));
        self = new Credentials(pair.getPrivate(), sign(certificate, pair));
    }

    static CertificateAuthority create() {
        try {
            return new CertificateAuthority();
        } catch (GeneralSecurityException | OperatorCreationException | CertIOException e) {
            throw new ControlPlaneException("The certificate authority could not be made.", e);
        }
    }

    Credentials self() {
        return self;
    }

    /** Credentials that the API server takes for this user in these groups. */
    Credentials client(String user, List<String> groups) {
        return client(user, groups, LIFETIME);
    }

    /** The same for a time. */
    Credentials client(String user, List<String> groups, Duration lifetime) {
        X500NameBuilder subject = new X500NameBuilder().addRDN(BCStyle.CN, user);
        groups.forEach(group -> subject.addRDN(BCStyle.O, group));
        return issue(subject.build(), KeyPurposeId.id_kp_clientAuth, List.of(), lifetime);
    }

    /** Credentials for a server that is reached under these names and addresses. */
    Credentials server(List<String> dnsNames, List<String> addresses) {
        List<GeneralName> names = Stream.concat(
                        dnsNames.stream().map(name -> new GeneralName(GeneralName.dNSName, name)),
                        addresses.stream().map(address -> new GeneralName(GeneralName.iPAddress, address)))
                .toList();
        X500Name subject =
                new X500NameBuilder().addRDN(BCStyle.CN, "kube-apiserver").build();
        return issue(subject, KeyPurposeId.id_kp_serverAuth, names, LIFETIME);
    }

    /** A key of the kind that signs service-account tokens: its certificate is nobody's. */
    Credentials tokenSigner() {
        return client("service-accounts", List.of());
    }

    /** Sockets that trust this authority alone and present these credentials. */
    SSLSocketFactory socketFactory(Credentials credentials) {
        try {
            KeyStore trusted = emptyKeyStore();
            trusted.setCertificateEntry("ca", self.certificate());
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);

            KeyStore own = emptyKeyStore();
            own.setKeyEntry("own", credentials.key(), NO_PASSWORD, new X509Certificate[] {credentials.certificate()});
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(own, NO_PASSWORD);

            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), trust.getTrustManagers(), random);
            return context.getSocketFactory();
        } catch (GeneralSecurityException e) {
            throw new ControlPlaneException("No TLS context could be made of the control plane's certificates.", e);
        }
    }

    private Credentials issue(X500Name subject, KeyPurposeId purpose, List<GeneralName> names, Duration lifetime) {
        try {
            KeyPair pair = keyPair();
            X500Name issuer = X500Name.getInstance(
                    self.certificate().getSubjectX500Principal().getEncoded());
            X509v3CertificateBuilder certificate = certificate(issuer, subject, pair, lifetime)
                    .addExtension(Extension.basicConstraints, true, new BasicConstraints(false))
                    .addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature))
                    .addExtension(Extension.extendedKeyUsage, false, new ExtendedKeyUsage(purpose));
            if (!names.isEmpty()) {
                ASN1Encodable alternatives = new GeneralNames(names.toArray(GeneralName[]::new));
                certificate.addExtension(Extension.subjectAlternativeName, false, alternatives);
            }
            KeyPair signer = new KeyPair(self.certificate().getPublicKey(), self.key());
            return new Credentials(pair.getPrivate(), sign(certificate, signer));
        } catch (GeneralSecurityException | OperatorCreationException | CertIOException e) {
            throw new ControlPlaneException("No certificate could be made for " + subject + ".", e);
        }
    }

    /** Elliptic curves, for an RSA key takes a good part of a second to find. */
    private KeyPair keyPair() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"), random);
        return generator.generateKeyPair();
    }

    private X509v3CertificateBuilder certificate(X500Name issuer, X500Name subject, KeyPair pair, Duration lifetime) {
        Instant now = Instant.now();
        return new JcaX509v3CertificateBuilder(
                issuer,
                new BigInteger(127, random),
                Date.from(now.minus(CLOCK_SKEW)),
                Date.from(now.plus(lifetime)),
                subject,
                pair.getPublic());
    }

    private static X509Certificate sign(X509v3CertificateBuilder certificate, KeyPair signer)
            throws GeneralSecurityException, OperatorCreationException {
        return new JcaX509CertificateConverter()
                .getCertificate(
                        certificate.build(new JcaContentSignerBuilder("SHA256withECDSA").build(signer.getPrivate())));
    }

    private static KeyStore emptyKeyStore() throws GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try {
            store.load(null, NO_PASSWORD);
        } catch (IOException e) {
            throw new GeneralSecurityException(e);
        }
        return store;
    }
}
