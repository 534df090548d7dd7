package io.controllermanager.network;

import java.math.BigInteger;

/**
 * One IPv4 or IPv6 address, as a number. Parsing is as strict as Go's {@code netip.ParseAddr}, which the API server's
 * CEL functions use, so that the two never disagree; it never asks a name server, as {@link java.net.InetAddress} would
 * do for anything that looks like a host name.
 *
 * @param family the address family
 * @param high the upper 64 bits, 0 for IPv4
 * @param low the lower 64 bits, unsigned; for IPv4 only the lower 32 are used
 */
public record IpAddress(Family family, long high, long low) implements Comparable<IpAddress> {

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
    private static final BigInteger TWO_TO_64 = BigInteger.ONE.shiftLeft(64);

    /**
     * Reads an address: four decimal octets without leading zeros, or IPv6 in any of the forms of RFC 4291, section 2.2.
     * Zones ({@code fe80::1%eth0}) are refused.
     *
     * @throws IllegalArgumentException if the text is no address; the message says why
     */
    public static IpAddress parse(String text) {
        return text.indexOf(':') >= 0 ? parseIpv6(text) : new IpAddress(Family.IPV4, 0, parseIpv4(text, text));
    }

    private static long parseIpv4(String part, String text) {
        long value = 0;
        int octets = 0;
        int start = 0;
        while (start <= part.length()) {
            int end = part.indexOf('.', start);
            if (end < 0) {
                end = part.length();
            }
            value = value << 8 | parseOctet(part.substring(start, end), text);
            octets++;
            start = end + 1;
        }
        if (octets != 4) {
            throw notAnAddress(text, "an IPv4 address has four octets");
        }
        return value;
    }

    private static int parseOctet(String digits, String text) {
        if (digits.isEmpty() || digits.length() > 3) {
            throw notAnAddress(text, "an octet is a number from 0 to 255");
        }
        int octet = 0;
        for (int i = 0; i < digits.length(); i++) {
            char digit = digits.charAt(i);
            if (digit < '0' || digit > '9') {
                throw notAnAddress(text, "an octet is a number from 0 to 255");
            }
            octet = octet * 10 + (digit - '0');
        }
        if (octet > 255) {
            throw notAnAddress(text, "an octet is a number from 0 to 255");
        }
        if (digits.length() > 1 && digits.charAt(0) == '0') {
            // Some programs read such an octet as octal: the same text would mean two addresses.
            throw notAnAddress(text, "an octet has no leading zero");
        }
        return octet;
    }

    private static IpAddress parseIpv6(String text) {
        int gap = text.indexOf("::");
        if (gap >= 0 && text.indexOf("::", gap + 1) >= 0) {
            throw notAnAddress(text, "\"::\" may stand once");
        }
        int[] groups = new int[GROUPS];
        if (gap < 0) {
            if (parseGroups(text, text, groups) != GROUPS) {
                throw notAnAddress(text, "an IPv6 address has eight groups unless \"::\" stands for some");
            }
            return ofGroups(groups);
        }
        int[] tail = new int[GROUPS];
        int before = parseGroups(text.substring(0, gap), text, groups);
        int after = parseGroups(text.substring(gap + 2), text, tail);
        if (text.lastIndexOf('.', gap) >= 0) {
            throw notAnAddress(text, "dotted octets may only stand at the end");
        }
        if (before + after >= GROUPS) {
            throw notAnAddress(text, "\"::\" must stand for at least one group");
        }
        System.arraycopy(tail, 0, groups, GROUPS - after, after);
        return ofGroups(groups);
    }

    /** Reads groups that colons separate, the last two perhaps as dotted octets; returns how many there are. */
    private static int parseGroups(String part, String text, int[] groups) {
        if (part.isEmpty()) {
            return 0;
        }
        int count = 0;
        int start = 0;
        while (start <= part.length()) {
            int end = part.indexOf(':', start);
            boolean last = end < 0;
            if (last) {
                end = part.length();
            }
            String group = part.substring(start, end);
            boolean dotted = group.indexOf('.') >= 0;
            if (dotted && !last) {
                throw notAnAddress(text, "dotted octets may only stand at the end");
            }
            if (count + (dotted ? 2 : 1) > GROUPS) {
                throw notAnAddress(text, "an IPv6 address has at most eight groups");
            }
            if (dotted) {
                long octets = parseIpv4(group, text);
                groups[count++] = (int) (octets >>> 16);
                groups[count++] = (int) (octets & 0xffff);
            } else {
                groups[count++] = parseGroup(group, text);
            }
            start = end + 1;
        }
        return count;
    }

    private static int parseGroup(String digits, String text) {
        if (digits.isEmpty() || digits.length() > 4) {
            throw notAnAddress(text, "a group is one to four hexadecimal digits");
        }
        int group = 0;
        for (int i = 0; i < digits.length(); i++) {
            char digit = digits.charAt(i);
            // Character.digit would take digits of other scripts too.
            int value = digit < 128 ? Character.digit(digit, 16) : -1;
            if (value < 0) {
                throw notAnAddress(text, "a group is one to four hexadecimal digits");
            }
            group = group << 4 | value;
        }
        return group;
    }

    private static IpAddress ofGroups(int[] groups) {
        long high = 0;
        long low = 0;
        for (int i = 0; i < GROUPS / 2; i++) {
            high = high << 16 | groups[i];
            low = low << 16 | groups[i + GROUPS / 2];
        }
        return new IpAddress(Family.IPV6, high, low);
    }

    private static IllegalArgumentException notAnAddress(String text, String why) {
        return new IllegalArgumentException("\"" + text + "\" is not an IP address: " + why);
    }

    /** Whether this is an IPv4 address written as an IPv6 one ({@code ::ffff:0:0/96}, RFC 4291, section 2.5.5.2). */
    public boolean isIpv4Mapped() {
        return family == Family.IPV6 && high == 0 && low >>> 32 == 0xffff;
    }

    /** The next address up; the highest address is followed by the lowest. */
    IpAddress next() {
        if (family == Family.IPV4) {
            return new IpAddress(family, 0, (low + 1) & 0xffff_ffffL);
        }
        return new IpAddress(family, low == -1 ? high + 1 : high, low + 1);
    }

    /** The next address down; the lowest address is preceded by the highest. */
    IpAddress previous() {
        if (family == Family.IPV4) {
            return new IpAddress(family, 0, (low - 1) & 0xffff_ffffL);
        }
        return new IpAddress(family, low == 0 ? high - 1 : high, low - 1);
    }

    /** The address with all bits after the first so many cleared. */
    IpAddress withHostBitsCleared(int prefixLength) {
        long hostHigh = hostMaskHigh(prefixLength);
        return new IpAddress(family, high & ~hostHigh, low & ~hostMaskLow(prefixLength));
    }

    /** The address with all bits after the first so many set. */
    IpAddress withHostBitsSet(int prefixLength) {
        return new IpAddress(family, high | hostMaskHigh(prefixLength), low | hostMaskLow(prefixLength));
    }

    private long hostMaskHigh(int prefixLength) {
        int hostBits = family.bits() - prefixLength;
        return hostBits <= 64 ? 0 : ones(hostBits - 64);
    }

    private long hostMaskLow(int prefixLength) {
        return ones(Math.min(64, family.bits() - prefixLength));
    }

    private static long ones(int count) {
        // A shift by 64 would be a shift by 0.
        return count == 64 ? -1L : (1L << count) - 1;
    }

    /** The address as a number. */
    BigInteger toBigInteger() {
        return unsigned(high).shiftLeft(64).or(unsigned(low));
    }

    private static BigInteger unsigned(long value) {
        BigInteger signed = BigInteger.valueOf(value);
        return value < 0 ? signed.add(TWO_TO_64) : signed;
    }

    /** IPv4 before IPv6, then by number. */
    @Override
    public int compareTo(IpAddress other) {
        int byFamily = family.compareTo(other.family);
        if (byFamily != 0) {
            return byFamily;
        }
        int byHigh = Long.compareUnsigned(high, other.high);
        return byHigh != 0 ? byHigh : Long.compareUnsigned(low, other.low);
    }

    /** The canonical text: for IPv6 that of RFC 5952. */
    @Override
    public String toString() {
        if (family == Family.IPV4) {
            return dotted(low);
        }
        return isIpv4Mapped() ? "::ffff:" + dotted(low) : groupsToString();
    }

    private static String dotted(long value) {
        return (value >>> 24 & 0xff) + "." + (value >>> 16 & 0xff) + "." + (value >>> 8 & 0xff) + "." + (value & 0xff);
    }

    private int group(int index) {
        long half = index < GROUPS / 2 ? high : low;
        int shift = 16 * (GROUPS / 2 - 1 - index % (GROUPS / 2));
        return (int) (half >>> shift) & 0xffff;
    }

    private String groupsToString() {
        int gapStart = -1;
        int gapLength = 1; // A single zero group is not shortened.
        for (int i = 0; i < GROUPS; i++) {
            int end = i;
            while (end < GROUPS && group(end) == 0) {
                end++;
            }
            if (end - i > gapLength) {
                gapStart = i;
                gapLength = end - i;
            }
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < GROUPS; i++) {
            if (i == gapStart) {
                text.append("::");
                i += gapLength - 1;
            } else {
                if (i > 0 && text.charAt(text.length() - 1) != ':') {
                    text.append(':');
                }
                text.append(Integer.toHexString(group(i)));
            }
        }
        return text.toString();
    }
}
