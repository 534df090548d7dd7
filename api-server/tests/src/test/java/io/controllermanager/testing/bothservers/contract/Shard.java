package io.controllermanager.testing.bothservers.contract;

import java.math.BigInteger;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/**
 * A range of hashes as a {@code shardSelector} has it.
 *
 * @param field what is hashed, such as {@code uid}
 * @param start 16 hexadecimal digits
 * @param end excluded; 16 digits, or 17 for 2^64
 */
record Shard(String field, String start, String end) {

    static final String FIRST = "0".repeat(16);
    static final String END = "1" + FIRST;

    private static final BigInteger ALL = BigInteger.ONE.shiftLeft(64);
    private static final BigInteger OFFSET_BASIS = new BigInteger("cbf29ce484222325", 16);
    private static final BigInteger PRIME = new BigInteger("100000001b3", 16);

    /** The range that has nothing but the hash of this value. */
    static Shard only(String field, String value) {
        return new Shard(field, hash(value), hex(new BigInteger(hash(value), 16).add(BigInteger.ONE)));
    }

    /** FNV-1a with 64 bits, in 16 hexadecimal digits. */
    static String hash(String value) {
        BigInteger hash = OFFSET_BASIS;
        for (byte one : value.getBytes(StandardCharsets.UTF_8)) {
            hash = hash.xor(BigInteger.valueOf(one & 0xff)).multiply(PRIME).mod(ALL);
        }
        return hex(hash);
    }

    private static String hex(BigInteger number) {
        return "%016x".formatted(number);
    }

    /** The query parameter. */
    String parameter() {
        return parameter(toString());
    }

    static String parameter(String selector) {
        return "shardSelector=" + URLEncoder.encode(selector, StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return "shardRange(object.metadata.%s, '0x%s', '0x%s')".formatted(field, start, end);
    }
}
