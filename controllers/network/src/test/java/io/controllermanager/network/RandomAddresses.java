package io.controllermanager.network;

import io.controllermanager.network.IpAddress.Family;
import java.math.BigInteger;
import java.util.Random;
import java.util.StringJoiner;

/** Makes addresses and ranges, with runs of zeros and ones more often than chance would. */
final class RandomAddresses {

    private RandomAddresses() {}

    static IpAddress address(Random random) {
        return address(random, random.nextBoolean() ? Family.IPV4 : Family.IPV6);
    }

    static IpAddress address(Random random, Family family) {
        return family == Family.IPV4
                ? new IpAddress(family, unsigned(bits(random) & 0xffff_ffffL))
                : new IpAddress(family, unsigned(bits(random)).shiftLeft(64).add(unsigned(bits(random))));
    }

    private static BigInteger unsigned(long value) {
        return new BigInteger(Long.toUnsignedString(value));
    }

    private static long bits(Random random) {
        return switch (random.nextInt(6)) {
            case 0 -> 0;
            case 1 -> -1;
            case 2 -> 1L << random.nextInt(64);
            case 3 -> random.nextLong() & (0xffffL << (16 * random.nextInt(4)));
            case 4 -> random.nextLong() << random.nextInt(64);
            default -> random.nextLong();
        };
    }

    static Cidr cidr(Random random) {
        IpAddress address = address(random);
        return new Cidr(address, random.nextInt(address.family().bits() + 1)).masked();
    }

    /** All eight groups, with leading zeros and capitals here and there. */
    static String spelledOut(IpAddress address, Random random) {
        StringJoiner text = new StringJoiner(":");
        for (int shift = 112; shift >= 0; shift -= 16) {
            int group = address.value().shiftRight(shift).intValue() & 0xffff;
            text.add(String.format(random.nextBoolean() ? "%04X" : "%x", group));
        }
        return text.toString();
    }
}
