package io.controllermanager.network;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is accepted as a Network's spec. */
class VerdictTest {

    @ParameterizedTest
    @CsvSource({
        "192.168.0.0/16, , 192.168.0.1",
        "192.168.0.0/16, 192.168.0.1, 192.168.0.1",
        "192.168.0.0/16, 192.168.255.254, 192.168.255.254",
        "192.168.0.0/16, 192.168.1.0, 192.168.1.0",
        "192.168.0.0/16, 192.168.0.255, 192.168.0.255",
        "10.0.0.4/31, , 10.0.0.4",
        "10.0.0.4/31, 10.0.0.5, 10.0.0.5",
        "10.0.0.4/32, , 10.0.0.4",
        "fd00:1::/64, , fd00:1::1",
        "FD00:1:0::/64, FD00:1::FFFF:FFFF:FFFF:FFFF, fd00:1::ffff:ffff:ffff:ffff",
        "fd00:1::/127, fd00:1::, fd00:1::",
        "fd00:1::5/128, , fd00:1::5",
        "0.0.0.0/0, , 0.0.0.1",
    })
    void derivesTheGateway(String cidr, @Nullable String gateway, String expected) {
        assertThat(Verdict.of(new NetworkSpec(cidr, gateway)))
                .isInstanceOfSatisfying(
                        Verdict.Valid.class,
                        valid -> assertThat(valid.gateway()).hasToString(expected));
    }

    @ParameterizedTest
    @CsvSource({
        ", , InvalidCIDR",
        "'', , InvalidCIDR",
        "nonsense, , InvalidCIDR",
        "192.168.0.0, , InvalidCIDR",
        "192.168.0.0/33, , InvalidCIDR",
        "192.168.0.5/16, , HostBitsSet",
        "fd00:1::1/64, , HostBitsSet",
        "::ffff:10.0.0.0/104, , IPv4MappedIPv6",
        "192.168.0.0/16, nonsense, InvalidGateway",
        "192.168.0.0/16, 192.168.0.1/16, InvalidGateway",
        "192.168.0.0/16, ::ffff:192.168.0.1, IPv4MappedIPv6",
        "192.168.0.0/16, fd00::1, GatewayFamilyMismatch",
        "fd00:1::/64, 192.168.0.1, GatewayFamilyMismatch",
        "192.168.0.0/16, 192.169.0.1, GatewayOutOfRange",
        "fd00:1::/64, fd00:2::1, GatewayOutOfRange",
        "10.0.0.4/32, 10.0.0.5, GatewayOutOfRange",
        "192.168.0.0/16, 192.168.0.0, GatewayIsNetworkAddress",
        "fd00:1::/64, fd00:1::, GatewayIsNetworkAddress",
        "192.168.0.0/16, 192.168.255.255, GatewayIsBroadcastAddress",
        "10.0.0.4/30, 10.0.0.7, GatewayIsBroadcastAddress",
    })
    void saysWhatIsWrong(@Nullable String cidr, @Nullable String gateway, String reason) {
        assertThat(Verdict.of(new NetworkSpec(cidr, gateway)))
                .isInstanceOfSatisfying(Verdict.Invalid.class, invalid -> {
                    assertThat(invalid.reason()).isEqualTo(reason);
                    assertThat(invalid.message()).startsWith("spec.");
                });
    }

    @Test
    void judgesAMissingSpec() {
        assertThat(Verdict.of(null)).isEqualTo(new Verdict.Invalid("InvalidCIDR", "spec.cidr is missing"));
    }
}
