package io.controllermanager.client.internal.transport;

import java.io.ByteArrayOutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads a private key in PEM. The JDK reads PKCS#8 alone (RFC 5208); what OpenSSL, Go and kubeadm write for RSA (PKCS#1, RFC
 * 8017) and for elliptic curves (SEC 1, RFC 5915) is wrapped as PKCS#8 here. Bouncy Castle, which reads them too, has 10 MB.
 */
final class PemPrivateKey {

    private static final Pattern BLOCK = Pattern.compile("-----BEGIN ([A-Z ]+)-----([^-]+)-----END \\1-----");
    private static final List<String> ALGORITHMS = List.of("RSA", "EC", "EdDSA");

    private static final int INTEGER = 0x02;
    private static final int OCTETS = 0x04;
    private static final int SEQUENCE = 0x30;

    /** The tag of a SEC 1 key's curve. */
    private static final int CURVE = 0xA0;

    /** Zero, the version of PKCS#8. */
    private static final byte[] VERSION = element(INTEGER, new byte[1]);

    private static final byte[] RSA = HexFormat.of().parseHex("06092a864886f70d0101010500");
    private static final byte[] ELLIPTIC = HexFormat.of().parseHex("06072a8648ce3d0201");

    private PemPrivateKey() {}

    /**
     * Reads the first key of a text.
     *
     * @throws IllegalArgumentException if there is none that can be read
     */
    static PrivateKey read(String pem) {
        byte[] curve = null;
        for (Matcher block = BLOCK.matcher(pem); block.find(); ) {
            byte[] content = Base64.getMimeDecoder().decode(block.group(2));
            switch (block.group(1)) {
                case "PRIVATE KEY" -> {
                    return key(content);
                }
                case "RSA PRIVATE KEY" -> {
                    return key(wrapped(RSA, content));
                }
                case "EC PARAMETERS" -> curve = content;
                case "EC PRIVATE KEY" -> {
                    return key(wrapped(joined(ELLIPTIC, curve(content, curve)), content));
                }
                default -> {
                    // Such as a certificate in the same file.
                }
            }
        }
        throw new IllegalArgumentException(
                pem.contains("ENCRYPTED")
                        ? "the private key is encrypted, and there is no password for it"
                        : "there is no private key that can be read: it must be PEM, in PKCS#8, PKCS#1 or SEC 1");
    }

    private static PrivateKey key(byte[] pkcs8) {
        GeneralSecurityException last = null;
        for (String algorithm : ALGORITHMS) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
            } catch (GeneralSecurityException e) {
                last = e;
            }
        }
        throw new IllegalArgumentException("the private key is none of " + ALGORITHMS + ", or is broken", last);
    }

    private static byte[] wrapped(byte[] algorithm, byte[] key) {
        return element(SEQUENCE, joined(VERSION, element(SEQUENCE, algorithm), element(OCTETS, key)));
    }

    /** The curve that a key names itself, else that of the block before it. */
    private static byte[] curve(byte[] key, byte @Nullable [] before) {
        try {
            ByteBuffer fields = content(ByteBuffer.wrap(key));
            while (fields.hasRemaining()) {
                boolean found = (fields.get(fields.position()) & 0xff) == CURVE;
                ByteBuffer field = content(fields);
                if (found) {
                    byte[] named = new byte[field.remaining()];
                    field.get(named);
                    return named;
                }
            }
        } catch (BufferUnderflowException e) {
            throw new IllegalArgumentException("the private key is broken", e);
        }
        if (before == null) {
            throw new IllegalArgumentException("the private key does not name its elliptic curve");
        }
        return before;
    }

    /** What is in the next element of DER, which is passed over. */
    private static ByteBuffer content(ByteBuffer elements) {
        elements.get();
        int length = elements.get() & 0xff;
        if (length > 0x7f) {
            int bytes = length & 0x7f;
            length = 0;
            for (int i = 0; i < bytes; i++) {
                length = (length << 8) | (elements.get() & 0xff);
            }
        }
        if (length < 0 || length > elements.remaining()) {
            throw new IllegalArgumentException("the private key is broken");
        }
        ByteBuffer content = elements.slice(elements.position(), length);
        elements.position(elements.position() + length);
        return content;
    }

    private static byte[] element(int tag, byte[] content) {
        // As few bytes as will do, which DER demands.
        int length = content.length;
        byte[] head = length < 0x80
                ? new byte[] {(byte) tag, (byte) length}
                : length < 0x100
                        ? new byte[] {(byte) tag, (byte) 0x81, (byte) length}
                        : new byte[] {(byte) tag, (byte) 0x82, (byte) (length >> 8), (byte) length};
        return joined(head, content);
    }

    private static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream joined = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            joined.writeBytes(part);
        }
        return joined.toByteArray();
    }
}
