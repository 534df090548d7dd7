package io.controllermanager.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.controllermanager.network.IpAddress.Family;
import java.math.BigInteger;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Ranges, against arithmetic on {@link BigInteger}. */
class CidrTest {

    @ParameterizedTest
    @CsvSource({
        "192.168.0.0/16, 192.168.0.1, 192.168.255.254, 65534",
        "0.0.0.0/0, 0.0.0.1, 255.255.255.254, 4294967294",
        "10.0.0.4/30, 10.0.0.5, 10.0.0.6, 2",
        "10.0.0.4/31, 10.0.0.4, 10.0.0.5, 2",
        "10.0.0.4/32, 10.0.0.4, 10.0.0.4, 1",
        "::/0, ::1, ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff, 340282366920938463463374607431768211455",
        "fd00:1::/64, fd00:1::1, fd00:1::ffff:ffff:ffff:ffff, 18446744073709551615",
        "fd00:1::/126, fd00:1::1, fd00:1::3, 3",
        "fd00:1::/127, fd00:1::, fd00:1::1, 2",
        "fd00:1::5/128, fd00:1::5, fd00:1::5, 1",
    })
    void knowsWhichAddressesAreUsable(String text, String first, String last, BigInteger size) {
        Cidr cidr = Cidr.parse(text);

        assertThat(cidr.firstUsable()).hasToString(first);
        assertThat(cidr.lastUsable()).hasToString(last);
        assertThat(cidr.capacity()).isEqualTo(size);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "10.0.0.0",
                "10.0.0.0/",
                "/8",
                "10.0.0.0/33",
                "10.0.0.0/-1",
                "10.0.0.0/+8",
                "10.0.0.0/08",
                "10.0.0.0/8 ",
                "10.0.0.0/8/8",
                "10.0.0.0/255.0.0.0",
                "10.0.0.0/\u0668",
                "10/8",
                "::/129",
                "::/1280",
                "fe80::%eth0/64",
                "example.com/24",
            })
    void refusesWhatIsNoRange(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> Cidr.parse(text));
    }

    @Test
    void keepsHostBitsUntilItIsMasked() {
        Cidr cidr = Cidr.parse("192.168.0.5/16");

        assertThat(cidr).hasToString("192.168.0.5/16").isNotEqualTo(cidr.masked());
        assertThat(cidr.masked()).hasToString("192.168.0.0/16").isEqualTo(Cidr.parse("192.168.0.0/16"));
        assertThat(cidr.first()).hasToString("192.168.0.0");
        assertThat(cidr.last()).hasToString("192.168.255.255");
        assertThat(cidr.overlaps(Cidr.parse("192.168.9.9/24"))).isTrue();
    }

    @Test
    void agreesWithBigIntegerOnRandomRanges() {
        Random random = new Random(3);
        for (int i = 0; i < 20_000; i++) {
            Cidr cidr = RandomAddresses.cidr(random);
            int hostBits = cidr.family().bits() - cidr.prefixLength();
            BigInteger first = cidr.address().value();
            BigInteger size = BigInteger.ONE.shiftLeft(hostBits);
            BigInteger last = first.add(size).subtract(BigInteger.ONE);

            assertThat(first.mod(size)).isEqualTo(BigInteger.ZERO);
            assertThat(cidr.last().value()).isEqualTo(last);
            BigInteger notUsable =
                    hostBits <= 1 ? BigInteger.ZERO : BigInteger.valueOf(cidr.family() == Family.IPV4 ? 2 : 1);
            assertThat(cidr.capacity()).isEqualTo(size.subtract(notUsable));

            IpAddress address = RandomAddresses.address(random);
            boolean inside = address.family() == cidr.family()
                    && address.value().compareTo(first) >= 0
                    && address.value().compareTo(last) <= 0;
            assertThat(cidr.contains(address)).isEqualTo(inside);
            assertThat(cidr.contains(cidr.last())).isTrue();
        }
    }

    @Test
    void overlapsWhereAnAddressIsInBoth() {
        Random random = new Random(4);
        int overlapping = 0;
        for (int i = 0; i < 20_000; i++) {
            Cidr one = RandomAddresses.cidr(random);
            Cidr other = random.nextBoolean()
                    ? RandomAddresses.cidr(random)
                    : new Cidr(one.last(), random.nextInt(one.family().bits() + 1)).masked();
            boolean expected = one.family() == other.family()
                    && one.first().value().compareTo(other.last().value()) <= 0
                    && other.first().value().compareTo(one.last().value()) <= 0;

            assertThat(one.overlaps(other)).isEqualTo(expected);
            assertThat(other.overlaps(one)).isEqualTo(expected);
            overlapping += expected ? 1 : 0;
        }
        assertThat(overlapping).isBetween(5_000, 19_000);
    }
}
