package io.controllermanager.network;

import io.controllermanager.network.IpAddress.Family;

/**
 * A range of addresses that share their first bits, such as {@code 192.168.0.0/16} (RFC 4632). Of two such ranges either
 * one holds the other or they have no address in common.
 *
 * @param network the first address, with no bit set after the prefix
 * @param prefixLength how many bits the addresses share
 */
public record Cidr(IpAddress network, int prefixLength) {

    public Cidr {
        if (prefixLength < 0 || prefixLength > network.family().bits()) {
            throw new IllegalArgumentException("prefixLength must be 0 to "
                    + network.family().bits() + " for " + network.family() + ", but is " + prefixLength);
        }
        if (!network.equals(network.withHostBitsCleared(prefixLength))) {
            throw new IllegalArgumentException(network + " has bits set after the first " + prefixLength);
        }
    }

    /** The range of the given length that holds the address. */
    public static Cidr containing(IpAddress address, int prefixLength) {
        return new Cidr(address.withHostBitsCleared(prefixLength), prefixLength);
    }

    /** The address family. */
    public Family family() {
        return network.family();
    }

    /** The lowest address. */
    public IpAddress first() {
        return network;
    }

    /** The highest address; for IPv4 this is the broadcast address unless the range has only one or two addresses. */
    public IpAddress last() {
        return network.withHostBitsSet(prefixLength);
    }

    /** Whether the address is of the same family and in the range. */
    public boolean contains(IpAddress address) {
        return address.family() == family()
                && address.withHostBitsCleared(prefixLength).equals(network);
    }

    /** Whether the two ranges have an address in common. */
    public boolean overlaps(Cidr other) {
        return prefixLength <= other.prefixLength ? contains(other.network) : other.contains(network);
    }

    /**
     * Whether every address may be given to a host: so in ranges of one address, and of two, which are the ends of a
     * point-to-point link (RFC 3021 for IPv4, RFC 6164 for IPv6).
     */
    public boolean allUsable() {
        return prefixLength >= family().bits() - 1;
    }

    /**
     * The addresses that hosts may have. Without the first, which names the network in IPv4 and is the routers' anycast
     * address in IPv6 (RFC 4291, section 2.6.1), and in IPv4 without the last, the broadcast address; unless {@link
     * #allUsable()}.
     */
    public AddressRange usable() {
        if (allUsable()) {
            return new AddressRange(first(), last());
        }
        return new AddressRange(first().next(), family() == Family.IPV4 ? last().previous() : last());
    }

    @Override
    public String toString() {
        return network + "/" + prefixLength;
    }
}
