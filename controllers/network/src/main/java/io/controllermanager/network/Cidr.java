package io.controllermanager.network;

import io.controllermanager.network.IpAddress.Family;
import java.math.BigInteger;
import java.util.regex.Pattern;

/**
 * An address and how many of its first bits count, such as {@code 192.168.0.0/16}: the range of the addresses that share those
 * (RFC 4632). As with Go's {@code netip.Prefix}, which it parses as strictly as, bits after the prefix may be set until it is
 * {@link #masked}. Of two ranges either one holds the other or they have no address in common.
 *
 * @param address the address before the slash
 * @param prefixLength the number after it, from 0 to the length of such an address
 */
public record Cidr(IpAddress address, int prefixLength) {

    private static final Pattern PREFIX_LENGTH = Pattern.compile("0|[1-9][0-9]{0,2}");

    public Cidr {
        if (prefixLength < 0 || prefixLength > address.family().bits()) {
            throw new IllegalArgumentException("prefixLength must be 0 to "
                    + address.family().bits() + " for " + address.family() + ", but is " + prefixLength);
        }
    }

    /**
     * Reads {@code address/prefixLength}.
     *
     * @throws IllegalArgumentException if the text is something else; the message says what is wrong
     */
    public static Cidr parse(String text) {
        int slash = text.lastIndexOf('/');
        if (slash < 0) {
            throw new IllegalArgumentException("\"" + text + "\" is not an address range: it has no \"/\"");
        }
        IpAddress address = IpAddress.parse(text.substring(0, slash));
        String digits = text.substring(slash + 1);
        int bits = address.family().bits();
        if (!PREFIX_LENGTH.matcher(digits).matches() || Integer.parseInt(digits) > bits) {
            throw new IllegalArgumentException("\"" + text + "\" is not an address range: the prefix length of "
                    + address.family() + " is a number from 0 to " + bits);
        }
        return new Cidr(address, Integer.parseInt(digits));
    }

    /** The same range with no bit set after the prefix. */
    public Cidr masked() {
        return new Cidr(first(), prefixLength);
    }

    /** The address family. */
    public Family family() {
        return address.family();
    }

    /** The lowest address. */
    public IpAddress first() {
        return address.withHostBitsCleared(prefixLength);
    }

    /** The highest address; for IPv4 this is the broadcast address unless the range has only one or two addresses. */
    public IpAddress last() {
        return address.withHostBitsSet(prefixLength);
    }

    /** Whether the address is of the same family and in the range. */
    public boolean contains(IpAddress other) {
        return other.family() == family()
                && other.withHostBitsCleared(prefixLength).equals(first());
    }

    /** Whether the two ranges have an address in common. */
    public boolean overlaps(Cidr other) {
        return prefixLength <= other.prefixLength ? contains(other.address) : other.contains(address);
    }

    /**
     * Whether every address may be given to a host: so in ranges of one address, and of two, which are the ends of a
     * point-to-point link (RFC 3021 for IPv4, RFC 6164 for IPv6).
     */
    private boolean allUsable() {
        return prefixLength >= family().bits() - 1;
    }

    /**
     * The lowest address that a host may have: not the first, unless the range has one or two addresses. That one names the
     * network in IPv4 and is the routers' anycast address in IPv6 (RFC 4291, section 2.6.1).
     */
    public IpAddress firstUsable() {
        return allUsable() ? first() : first().plus(1);
    }

    /** The highest address that a host may have: not IPv4's broadcast address, unless the range has one or two addresses. */
    public IpAddress lastUsable() {
        return allUsable() || family() == Family.IPV6 ? last() : last().plus(-1);
    }

    /** How many addresses hosts may have: up to 2<sup>128</sup>, more than a long can hold. */
    public BigInteger capacity() {
        return lastUsable().value().subtract(firstUsable().value()).add(BigInteger.ONE);
    }

    @Override
    public String toString() {
        return address + "/" + prefixLength;
    }
}
