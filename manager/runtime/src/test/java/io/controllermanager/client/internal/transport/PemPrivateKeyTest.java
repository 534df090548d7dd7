package io.controllermanager.client.internal.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.ByteArrayOutputStream;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.interfaces.ECPrivateKey;
import java.security.spec.ECGenParameterSpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys in all forms that tools write, each made from one of the JDK's. */
class PemPrivateKeyTest {

    private static PrivateKey key(String algorithm, String curve) throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
        if (!curve.isEmpty()) {
            generator.initialize(new ECGenParameterSpec(curve));
        }
        return generator.generateKeyPair().getPrivate();
    }

    private static String pem(String what, byte[] content) {
        return "-----BEGIN %s-----\n%s\n-----END %1$s-----\n"
                .formatted(what, Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content));
    }

    /** The key within PKCS#8, which is what comes after the algorithm. */
    private static byte[] within(PrivateKey key, String algorithm) {
        String pkcs8 = HexFormat.of().formatHex(key.getEncoded());
        int octets = pkcs8.indexOf(algorithm) + algorithm.length();
        int sequence = pkcs8.indexOf("30", octets + 4);
        return HexFormat.of().parseHex(pkcs8.substring(sequence));
    }

    @ParameterizedTest
    @ValueSource(strings = {"RSA", "EC", "Ed25519"})
    void readsPkcs8(String algorithm) throws GeneralSecurityException {
        PrivateKey key = key(algorithm, "");

        assertThat(PemPrivateKey.read(pem("PRIVATE KEY", key.getEncoded()))).isEqualTo(key);
    }

    @Test
    void readsPkcs1() throws GeneralSecurityException {
        PrivateKey key = key("RSA", "");

        assertThat(PemPrivateKey.read(pem("RSA PRIVATE KEY", within(key, "06092a864886f70d0101010500"))))
                .isEqualTo(key);
    }

    @ParameterizedTest
    @CsvSource({"secp256r1, 06082a8648ce3d030107", "secp384r1, 06052b81040022", "secp521r1, 06052b81040023"})
    void readsSec1(String name, String curve) throws GeneralSecurityException {
        PrivateKey key = key("EC", name);
        byte[] nameless = within(key, curve);
        byte[] named = named(nameless, HexFormat.of().parseHex(curve));
        String parameters = pem("EC PARAMETERS", HexFormat.of().parseHex(curve));

        assertThat(List.of(
                        PemPrivateKey.read(pem("EC PRIVATE KEY", named)),
                        PemPrivateKey.read(parameters + pem("EC PRIVATE KEY", nameless))))
                .allSatisfy(read -> {
                    assertThat(((ECPrivateKey) read).getS()).isEqualTo(((ECPrivateKey) key).getS());
                    assertThat(((ECPrivateKey) read).getParams()).isEqualTo(((ECPrivateKey) key).getParams());
                });
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PemPrivateKey.read(pem("EC PRIVATE KEY", nameless)))
                .withMessage("the private key does not name its elliptic curve");
    }

    /** The same key with its curve, as OpenSSL and Go write it. */
    private static byte[] named(byte[] nameless, byte[] curve) {
        int head = (nameless[1] & 0xff) > 0x7f ? 3 : 2;
        ByteArrayOutputStream fields = new ByteArrayOutputStream();
        fields.writeBytes(Arrays.copyOfRange(nameless, head, nameless.length));
        fields.write(0xA0);
        fields.write(curve.length);
        fields.writeBytes(curve);
        ByteArrayOutputStream named = new ByteArrayOutputStream();
        named.write(0x30);
        if (fields.size() > 0x7f) {
            named.write(0x81);
        }
        named.write(fields.size());
        named.writeBytes(fields.toByteArray());
        return named.toByteArray();
    }

    @Test
    void readsTheKeyBehindACertificate() throws GeneralSecurityException {
        PrivateKey key = key("RSA", "");

        assertThat(PemPrivateKey.read(pem("CERTIFICATE", new byte[] {1}) + pem("PRIVATE KEY", key.getEncoded())))
                .isEqualTo(key);
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
        '',                                                             'there is no private key that can be read: it must be PEM, in PKCS#8, PKCS#1 or SEC 1'
        '-----BEGIN ENCRYPTED PRIVATE KEY-----AA==-----END ENCRYPTED PRIVATE KEY-----', 'the private key is encrypted, and there is no password for it'
        '-----BEGIN RSA PRIVATE KEY-----Proc-Type: 4,ENCRYPTED DEK-Info: AES-128-CBC,00 AA==-----END RSA PRIVATE KEY-----', 'the private key is encrypted, and there is no password for it'
        '-----BEGIN PRIVATE KEY-----AA==-----END PRIVATE KEY-----',     'the private key is none of [RSA, EC, EdDSA], or is broken'
        '-----BEGIN RSA PRIVATE KEY-----MAA=-----END RSA PRIVATE KEY-----', 'the private key is none of [RSA, EC, EdDSA], or is broken'
        '-----BEGIN EC PRIVATE KEY-----MA==-----END EC PRIVATE KEY-----', 'the private key is broken'
        '-----BEGIN EC PRIVATE KEY-----MIT/////-----END EC PRIVATE KEY-----', 'the private key is broken'
        """)
    void saysWhatIsWrong(String pem, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PemPrivateKey.read(pem))
                .withMessage(message);
    }
}
