package io.controllermanager.network;

import java.math.BigInteger;

/**
 * The addresses from one to another, both included.
 *
 * @param first the lowest
 * @param last the highest, of the same family and not below the first
 */
public record AddressRange(IpAddress first, IpAddress last) {

    public AddressRange {
        if (first.family() != last.family() || first.compareTo(last) > 0) {
            throw new IllegalArgumentException("no range leads from " + first + " to " + last);
        }
    }

    /** Whether the address is one of them. */
    public boolean contains(IpAddress address) {
        return address.family() == first.family() && first.compareTo(address) <= 0 && address.compareTo(last) <= 0;
    }

    /** How many they are: up to 2<sup>128</sup>, more than a long can hold. */
    public BigInteger size() {
        return last.toBigInteger().subtract(first.toBigInteger()).add(BigInteger.ONE);
    }
}
