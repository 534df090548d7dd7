package io.controllermanager.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.controllermanager.network.IpAddress.Family;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Reading and writing addresses. */
class IpAddressTest {

    @ParameterizedTest
    @CsvSource({
        "0.0.0.0, 0.0.0.0",
        "192.168.0.1, 192.168.0.1",
        "255.255.255.255, 255.255.255.255",
        "::, ::",
        "::1, ::1",
        "1::, 1::",
        "2001:DB8::ABCD, 2001:db8::abcd",
        "2001:db8:0:0:0:0:0:1, 2001:db8::1",
        "2001:0db8:0000:0000:0001:0000:0000:0001, 2001:db8::1:0:0:1",
        "1:2:3:4:5:6:7:8, 1:2:3:4:5:6:7:8",
        "1:2:3:4:5:6:7::, 1:2:3:4:5:6:7:0",
        "::2:3:4:5:6:7:8, 0:2:3:4:5:6:7:8",
        "1:0:3:4:5:6:7:8, 1:0:3:4:5:6:7:8",
        "1:0:0:4:5:0:0:0, 1:0:0:4:5::",
        "64:ff9b::192.0.2.1, 64:ff9b::c000:201",
        "::ffff:1.2.3.4, ::ffff:1.2.3.4",
        "::ffff:102:304, ::ffff:1.2.3.4",
        "1:2:3:4:5:6:1.2.3.4, 1:2:3:4:5:6:102:304",
    })
    void readsEveryFormAndWritesTheCanonicalOne(String text, String canonical) {
        assertThat(IpAddress.parse(text)).hasToString(canonical);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "localhost",
                "example.com",
                "1",
                "1.2.3",
                "1.2.3.4.5",
                "1.2.3.",
                ".1.2.3",
                "1..2.3",
                "256.0.0.1",
                "1.2.3.1000",
                "01.2.3.4",
                "1.2.3.00",
                "1.2.3.-4",
                "+1.2.3.4",
                "0x1.2.3.4",
                " 1.2.3.4",
                "1.2.3.4 ",
                "1.2.3.4\n",
                "\u0661.2.3.4",
                ":",
                ":::",
                "1::2::3",
                "1:::2",
                ":1::2",
                "::1:",
                "1:2:3:4:5:6:7",
                "1:2:3:4:5:6:7:8:9",
                "1:2:3:4:5:6:7::8",
                "::1:2:3:4:5:6:7:8",
                "12345::",
                "g::",
                "\uff11::",
                "-1::",
                "fe80::1%eth0",
                "1.2.3.4::",
                "1.2.3.4:5::",
                "1:2:3:4:5:6:7:1.2.3.4",
                "::1.2.3",
                "::1.2.3.04",
                "::ffff:1.2.3.4:5",
                "[::1]",
                "::1/64",
            })
    void refusesAllElse(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> IpAddress.parse(text))
                .withMessageContaining("is not an IP address");
    }

    @Test
    void agreesWithTheJdkOnRandomAddresses() throws UnknownHostException {
        Random random = new Random(1);
        for (int i = 0; i < 20_000; i++) {
            IpAddress address = RandomAddresses.address(random);

            assertThat(IpAddress.parse(address.toString())).isEqualTo(address);
            // A literal: nothing is looked up.
            byte[] bytes = InetAddress.getByName(address.toString()).getAddress();
            assertThat(new BigInteger(1, bytes))
                    .isEqualTo(
                            address.isIpv4Mapped()
                                    ? address.value().and(BigInteger.valueOf(0xffff_ffffL))
                                    : address.value());
            if (address.family() == Family.IPV6) {
                assertThat(IpAddress.parse(RandomAddresses.spelledOut(address, random)))
                        .isEqualTo(address);
            }
        }
    }

    @Test
    void comparesAsNumbersDo() {
        Random random = new Random(2);
        for (int i = 0; i < 20_000; i++) {
            IpAddress one = RandomAddresses.address(random);
            IpAddress other = RandomAddresses.address(random);
            int expected = one.family() == other.family()
                    ? one.value().compareTo(other.value())
                    : one.family().compareTo(other.family());
            assertThat(Integer.signum(one.compareTo(other))).isEqualTo(Integer.signum(expected));
        }
    }
}
