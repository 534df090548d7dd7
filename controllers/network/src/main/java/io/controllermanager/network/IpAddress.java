package io.controllermanager.network;

import java.math.BigInteger;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.StringJoiner;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * One IPv4 or IPv6 address, as a number. Parsing is as strict as Go's {@code netip.ParseAddr}, which the API server's
 * CEL functions use, so that the two never disagree; it never asks a name server, as {@link java.net.InetAddress} would
 * do for anything that looks like a host name.
 *
 * @param family the address family
 * @param value the number, from 0 to 2<sup>32</sup> - 1 or 2<sup>128</sup> - 1
 */
public record IpAddress(Family family, BigInteger value) implements Comparable<IpAddress> {

    /** An address family. */
    public enum Family {
        IPV4(32, "IPv4"),
        IPV6(128, "IPv6");

        private final int bits;
        private final String text;

        Family(int bits, String text) {
            this.bits = bits;
            this.text = text;
        }

        /** The length of an address in bits. */
        public int bits() {
            return bits;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    private static final int GROUPS = 8;
    private static final BigInteger MAPPED = BigInteger.valueOf(0xffff);
    private static final Pattern GROUP = Pattern.compile("[0-9a-fA-F]{1,4}");

    /** Some programs read an octet with a leading zero as octal: the same text would mean two addresses. */
    private static final Pattern OCTET = Pattern.compile("0|[1-9][0-9]{0,2}");

    /** A single zero group is not shortened. */
    private static final Pattern ZERO_GROUPS = Pattern.compile("\\b0(:0)+\\b");

    private static final Comparator<IpAddress> BY_NUMBER =
            Comparator.comparing(IpAddress::family).thenComparing(IpAddress::value);

    /**
     * Reads an address: four decimal octets without leading zeros, or IPv6 in any of the forms of RFC 4291, section 2.2.
     * Zones ({@code fe80::1%eth0}) are refused.
     *
     * @throws IllegalArgumentException if the text is no address; the message says why
     */
    public static IpAddress parse(String text) {
        return text.indexOf(':') >= 0
                ? new IpAddress(Family.IPV6, parseIpv6(text))
                : new IpAddress(Family.IPV4, BigInteger.valueOf(parseIpv4(text, text)));
    }

    private static long parseIpv4(String part, String text) {
        String[] octets = part.split("\\.", -1);
        if (octets.length != 4) {
            throw notAnAddress(text, "an IPv4 address has four octets");
        }
        long value = 0;
        for (String octet : octets) {
            if (!OCTET.matcher(octet).matches() || Integer.parseInt(octet) > 255) {
                throw notAnAddress(text, "an octet is a number from 0 to 255 without leading zeros");
            }
            value = value << 8 | Integer.parseInt(octet);
        }
        return value;
    }

    private static BigInteger parseIpv6(String text) {
        String[] parts = withoutOctets(text).split("::", -1);
        List<String> head = groups(parts[0]);
        List<String> tail = parts.length == 1 ? List.of() : groups(parts[1]);
        int missing = GROUPS - head.size() - tail.size();
        if (parts.length > 2 || (parts.length == 2 ? missing < 1 : missing != 0)) {
            throw notAnAddress(text, "an IPv6 address has eight groups, or \"::\" once for at least one of them");
        }
        BigInteger value = BigInteger.ZERO;
        for (List<String> groups : List.of(head, Collections.nCopies(missing, "0"), tail)) {
            for (String group : groups) {
                if (!GROUP.matcher(group).matches()) {
                    throw notAnAddress(text, "a group is one to four hexadecimal digits");
                }
                value = value.shiftLeft(16).add(new BigInteger(group, 16));
            }
        }
        return value;
    }

    /** The last two groups may be written as an IPv4 address. */
    private static String withoutOctets(String text) {
        if (text.indexOf('.') < 0) {
            return text;
        }
        int last = text.lastIndexOf(':') + 1;
        if (text.indexOf('.') < last) {
            throw notAnAddress(text, "dotted octets may only stand at the end");
        }
        long octets = parseIpv4(text.substring(last), text);
        return text.substring(0, last) + Long.toHexString(octets >>> 16) + ":" + Long.toHexString(octets & 0xffff);
    }

    private static List<String> groups(String part) {
        return part.isEmpty() ? List.of() : List.of(part.split(":", -1));
    }

    private static IllegalArgumentException notAnAddress(String text, String why) {
        return new IllegalArgumentException("\"" + text + "\" is not an IP address: " + why);
    }

    /** Whether this is an IPv4 address written as an IPv6 one ({@code ::ffff:0:0/96}, RFC 4291, section 2.5.5.2). */
    public boolean isIpv4Mapped() {
        return family == Family.IPV6 && value.shiftRight(Family.IPV4.bits()).equals(MAPPED);
    }

    /** The address so many up, or down if it is negative; it must be one of the family. */
    IpAddress plus(long count) {
        return new IpAddress(family, value.add(BigInteger.valueOf(count)));
    }

    /** The address with all bits after the first so many cleared. */
    IpAddress withHostBitsCleared(int prefixLength) {
        int hostBits = family.bits() - prefixLength;
        return new IpAddress(family, value.shiftRight(hostBits).shiftLeft(hostBits));
    }

    /** The address with all bits after the first so many set. */
    IpAddress withHostBitsSet(int prefixLength) {
        BigInteger size = BigInteger.ONE.shiftLeft(family.bits() - prefixLength);
        return new IpAddress(family, value.or(size.subtract(BigInteger.ONE)));
    }

    /** IPv4 before IPv6, then by number. */
    @Override
    public int compareTo(IpAddress other) {
        return BY_NUMBER.compare(this, other);
    }

    /** The canonical text: for IPv6 that of RFC 5952. */
    @Override
    public String toString() {
        if (family == Family.IPV4 || isIpv4Mapped()) {
            return (family == Family.IPV4 ? "" : "::ffff:") + parts(8, 4, ".", 10);
        }
        String groups = parts(16, GROUPS, ":", 16);
        String longest = ZERO_GROUPS
                .matcher(groups)
                .results()
                .map(MatchResult::group)
                // Of equal ones the first.
                .reduce("", (one, other) -> other.length() > one.length() ? other : one);
        return longest.isEmpty() ? groups : groups.replaceFirst("(^|:)\\b" + longest + "\\b(:|$)", "::");
    }

    /** The last so many parts of the number, each of so many bits. */
    private String parts(int bits, int count, String separator, int radix) {
        StringJoiner text = new StringJoiner(separator);
        for (int i = count - 1; i >= 0; i--) {
            int part = value.shiftRight(bits * i).intValue() & (1 << bits) - 1;
            text.add(Integer.toString(part, radix));
        }
        return text.toString();
    }
}
