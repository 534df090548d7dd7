package io.controllermanager.network;

import io.controllermanager.types.ValidationRule;
import jakarta.validation.constraints.Size;
import org.jspecify.annotations.Nullable;

/**
 * What is wanted.
 *
 * @param cidr The address range, IPv4 or IPv6, such as 192.168.0.0/16 or fd00:1::/64, with no bit set after the prefix. IPv4 addresses
 *     written as IPv6 (::ffff:10.0.0.0/104) are refused.
 * @param gateway The gateway's address: inside the range, and not the network address or, in IPv4, the broadcast address unless the
 *     range has one or two addresses only. By default the first usable address.
 */
// An older CRD lets a Network without cidr in, which is null then.
// The API server knows the cost of == on addresses, but not that of !=. What CEL cannot say well, such as the broadcast
// address, and whatever concerns other Networks is judged by the controller.
@ValidationRule(
        value =
                "!has(self.gateway) || !isIP(self.gateway) || !isCIDR(self.cidr) || cidr(self.cidr).containsIP(self.gateway)",
        fieldPath = ".gateway",
        message = "is not in the address range")
@ValidationRule(
        value = "!has(self.gateway) || !isIP(self.gateway) || !isCIDR(self.cidr)"
                + " || cidr(self.cidr).prefixLength() >= (cidr(self.cidr).ip().family() == 4 ? 31 : 127)"
                + " || !(ip(self.gateway) == cidr(self.cidr).masked().ip())",
        fieldPath = ".gateway",
        message = "is the network address of the range")
public record NetworkSpec(
        @Size(max = 49)
        @ValidationRule(value = "isCIDR(self)", message = "is no address range such as 192.168.0.0/16 or fd00:1::/64")
        @ValidationRule(
                value = "!isCIDR(self) || cidr(self) == cidr(self).masked()",
                message = "has bits set after the prefix")
        String cidr,

        @Size(max = 45) @ValidationRule(value = "isIP(self)", message = "is no IP address") @Nullable
        String gateway) {}
