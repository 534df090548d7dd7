package io.controllermanager.app.release;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Date;
import org.bouncycastle.bcpg.ArmoredOutputStream;
import org.bouncycastle.bcpg.HashAlgorithmTags;
import org.bouncycastle.bcpg.PublicKeyAlgorithmTags;
import org.bouncycastle.bcpg.PublicKeyPacket;
import org.bouncycastle.bcpg.SymmetricKeyAlgorithmTags;
import org.bouncycastle.crypto.generators.RSAKeyPairGenerator;
import org.bouncycastle.crypto.params.RSAKeyGenerationParameters;
import org.bouncycastle.openpgp.PGPException;
import org.bouncycastle.openpgp.PGPKeyPair;
import org.bouncycastle.openpgp.PGPKeyRingGenerator;
import org.bouncycastle.openpgp.PGPObjectFactory;
import org.bouncycastle.openpgp.PGPPublicKey;
import org.bouncycastle.openpgp.PGPSignature;
import org.bouncycastle.openpgp.PGPSignatureList;
import org.bouncycastle.openpgp.PGPUtil;
import org.bouncycastle.openpgp.operator.PGPDigestCalculator;
import org.bouncycastle.openpgp.operator.bc.BcKeyFingerprintCalculator;
import org.bouncycastle.openpgp.operator.bc.BcPBESecretKeyEncryptorBuilder;
import org.bouncycastle.openpgp.operator.bc.BcPGPContentSignerBuilder;
import org.bouncycastle.openpgp.operator.bc.BcPGPContentVerifierBuilderProvider;
import org.bouncycastle.openpgp.operator.bc.BcPGPDigestCalculatorProvider;
import org.bouncycastle.openpgp.operator.bc.BcPGPKeyPair;

/**
 * An OpenPGP key that nobody trusts, made for one test.
 *
 * @param secret the secret key in ASCII, which the passphrase protects
 * @param publicKey what its signatures are checked by
 */
record SigningKey(String secret, PGPPublicKey publicKey) {

    static final String PASSPHRASE = "of a test";

    static SigningKey make() throws PGPException, IOException {
        RSAKeyPairGenerator rsa = new RSAKeyPairGenerator();
        rsa.init(new RSAKeyGenerationParameters(BigInteger.valueOf(65537), new SecureRandom(), 2048, 100));
        PGPKeyPair pair = new BcPGPKeyPair(
                PublicKeyPacket.VERSION_4, PublicKeyAlgorithmTags.RSA_GENERAL, rsa.generateKeyPair(), new Date());
        PGPDigestCalculator sha1 = new BcPGPDigestCalculatorProvider().get(HashAlgorithmTags.SHA1);
        PGPKeyRingGenerator ring = new PGPKeyRingGenerator(
                PGPSignature.POSITIVE_CERTIFICATION,
                pair,
                "Test <test@example.com>",
                sha1,
                null,
                null,
                new BcPGPContentSignerBuilder(pair.getPublicKey().getAlgorithm(), HashAlgorithmTags.SHA512),
                new BcPBESecretKeyEncryptorBuilder(SymmetricKeyAlgorithmTags.AES_256, sha1)
                        .build(PASSPHRASE.toCharArray()));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ArmoredOutputStream armored = ArmoredOutputStream.builder().build(bytes)) {
            ring.generateSecretKeyRing().encode(armored);
        }
        return new SigningKey(bytes.toString(StandardCharsets.UTF_8), pair.getPublicKey());
    }

    /** Whether the signature beside a file is its own and by this key. */
    boolean hasSigned(Path file) throws IOException, PGPException {
        try (InputStream in = PGPUtil.getDecoderStream(Files.newInputStream(Path.of(file + ".asc")))) {
            PGPSignatureList signatures =
                    (PGPSignatureList) new PGPObjectFactory(in, new BcKeyFingerprintCalculator()).nextObject();
            PGPSignature signature = signatures.get(0);
            signature.init(new BcPGPContentVerifierBuilderProvider(), publicKey);
            signature.update(Files.readAllBytes(file));
            return signature.verify();
        }
    }
}
