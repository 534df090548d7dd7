package io.controllermanager.testing.apiserver.cel;

import com.google.common.net.InetAddresses;
import dev.cel.common.CelFunctionDecl;
import dev.cel.common.CelOverloadDecl;
import dev.cel.common.types.CelType;
import dev.cel.common.types.OpaqueType;
import dev.cel.common.types.SimpleType;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelFunctionBinding;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The functions about IP addresses and address ranges (apiserver, pkg/cel/library/ip.go and cidr.go). What an address
 * is, Go's net/netip says: no zones, no leading zeros, no IPv4 written as IPv6.
 */
final class Addresses {

    private static final CelType IP = OpaqueType.create("net.IP");
    private static final CelType CIDR = OpaqueType.create("net.CIDR");
    private static final CelType STRING = SimpleType.STRING;
    private static final CelType BOOL = SimpleType.BOOL;
    private static final CelType INT = SimpleType.INT;

    private static final Pattern ADDRESS = Pattern.compile("[0-9a-fA-F:.]+");
    private static final Pattern RANGE = Pattern.compile("(.*)/(0|[1-9][0-9]{0,2})");

    private Addresses() {}

    /** An address. */
    record Ip(InetAddress address) {

        static @Nullable Ip parse(String text) {
            if (!ADDRESS.matcher(text).matches() || !InetAddresses.isInetAddress(text)) {
                return null;
            }
            Ip ip = new Ip(InetAddresses.forString(text));
            return ip.family() == 4 && text.contains(":") ? null : ip;
        }

        static Ip of(String text) throws CelEvaluationException {
            Ip ip = parse(text);
            if (ip == null) {
                throw new CelEvaluationException(
                        "IP Address \"" + text + "\" parse error during conversion from string");
            }
            return ip;
        }

        long family() {
            return address instanceof Inet4Address ? 4 : 6;
        }

        boolean isGlobalUnicast() {
            byte[] bytes = address.getAddress();
            boolean broadcast = bytes.length == 4 && Arrays.equals(bytes, new byte[] {-1, -1, -1, -1});
            return !(broadcast
                    || address.isAnyLocalAddress()
                    || address.isLoopbackAddress()
                    || address.isMulticastAddress()
                    || address.isLinkLocalAddress());
        }

        Ip masked(int bits) {
            byte[] bytes = address.getAddress();
            for (int i = 0; i < bytes.length; i++) {
                int kept = Math.max(0, Math.min(8, bits - 8 * i));
                bytes[i] &= (byte) (0xff00 >> kept);
            }
            try {
                return new Ip(InetAddress.getByAddress(bytes));
            } catch (UnknownHostException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public String toString() {
            return InetAddresses.toAddrString(address);
        }
    }

    /** An address with the number of bits that all addresses of its range share. */
    record Cidr(Ip ip, int bits) {

        static @Nullable Cidr parse(String text) {
            Matcher parts = RANGE.matcher(text);
            Ip ip = parts.matches() ? Ip.parse(parts.group(1)) : null;
            if (ip == null || Integer.parseInt(parts.group(2)) > (ip.family() == 4 ? 32 : 128)) {
                return null;
            }
            return new Cidr(ip, Integer.parseInt(parts.group(2)));
        }

        static Cidr of(String text) throws CelEvaluationException {
            Cidr cidr = parse(text);
            if (cidr == null) {
                throw new CelEvaluationException("network address parse error during conversion from string: \"" + text
                        + "\" is no address range");
            }
            return cidr;
        }

        Cidr masked() {
            return new Cidr(ip.masked(bits), bits);
        }

        boolean contains(Ip other) {
            return ip.family() == other.family() && ip.masked(bits).equals(other.masked(bits));
        }

        boolean contains(Cidr other) {
            return bits <= other.bits && contains(other.ip);
        }

        @Override
        public String toString() {
            return ip + "/" + bits;
        }
    }

    static List<CelFunctionDecl> declarations() {
        return List.of(
                function("isIP", global("is_ip", BOOL, STRING)),
                function("ip", global("string_to_ip", IP, STRING), member("cidr_ip", IP, CIDR)),
                function("ip.isCanonical", global("ip_is_canonical", BOOL, STRING)),
                function("family", member("ip_family", INT, IP)),
                function("isUnspecified", member("ip_is_unspecified", BOOL, IP)),
                function("isLoopback", member("ip_is_loopback", BOOL, IP)),
                function("isLinkLocalMulticast", member("ip_is_link_local_multicast", BOOL, IP)),
                function("isLinkLocalUnicast", member("ip_is_link_local_unicast", BOOL, IP)),
                function("isGlobalUnicast", member("ip_is_global_unicast", BOOL, IP)),
                function("string", global("ip_to_string", STRING, IP), global("cidr_to_string", STRING, CIDR)),
                function("isCIDR", global("is_cidr", BOOL, STRING)),
                function("cidr", global("string_to_cidr", CIDR, STRING)),
                function(
                        "containsIP",
                        member("cidr_contains_ip_string", BOOL, CIDR, STRING),
                        member("cidr_contains_ip_ip", BOOL, CIDR, IP)),
                function(
                        "containsCIDR",
                        member("cidr_contains_cidr_string", BOOL, CIDR, STRING),
                        member("cidr_contains_cidr", BOOL, CIDR, CIDR)),
                function("masked", member("cidr_masked", CIDR, CIDR)),
                function("prefixLength", member("cidr_prefix_length", INT, CIDR)));
    }

    static List<CelFunctionBinding> bindings() {
        return List.of(
                CelFunctionBinding.from("is_ip", String.class, text -> Ip.parse(text) != null),
                CelFunctionBinding.from("string_to_ip", String.class, Ip::of),
                CelFunctionBinding.from("cidr_ip", Cidr.class, Cidr::ip),
                CelFunctionBinding.from(
                        "ip_is_canonical",
                        String.class,
                        text -> Ip.of(text).toString().equals(text)),
                CelFunctionBinding.from("ip_family", Ip.class, Ip::family),
                CelFunctionBinding.from(
                        "ip_is_unspecified", Ip.class, ip -> ip.address().isAnyLocalAddress()),
                CelFunctionBinding.from(
                        "ip_is_loopback", Ip.class, ip -> ip.address().isLoopbackAddress()),
                CelFunctionBinding.from(
                        "ip_is_link_local_multicast",
                        Ip.class,
                        ip -> ip.address().isMCLinkLocal()),
                CelFunctionBinding.from(
                        "ip_is_link_local_unicast", Ip.class, ip -> ip.address().isLinkLocalAddress()),
                CelFunctionBinding.from("ip_is_global_unicast", Ip.class, Ip::isGlobalUnicast),
                CelFunctionBinding.from("ip_to_string", Ip.class, Ip::toString),
                CelFunctionBinding.from("is_cidr", String.class, text -> Cidr.parse(text) != null),
                CelFunctionBinding.from("string_to_cidr", String.class, Cidr::of),
                CelFunctionBinding.from("cidr_to_string", Cidr.class, Cidr::toString),
                CelFunctionBinding.from(
                        "cidr_contains_ip_string", Cidr.class, String.class, (cidr, ip) -> cidr.contains(Ip.of(ip))),
                CelFunctionBinding.from("cidr_contains_ip_ip", Cidr.class, Ip.class, Cidr::contains),
                CelFunctionBinding.from(
                        "cidr_contains_cidr_string",
                        Cidr.class,
                        String.class,
                        (cidr, other) -> cidr.contains(Cidr.of(other))),
                CelFunctionBinding.from("cidr_contains_cidr", Cidr.class, Cidr.class, Cidr::contains),
                CelFunctionBinding.from("cidr_masked", Cidr.class, Cidr::masked),
                CelFunctionBinding.from("cidr_prefix_length", Cidr.class, cidr -> (long) cidr.bits()));
    }

    private static CelFunctionDecl function(String name, CelOverloadDecl... overloads) {
        return CelFunctionDecl.newFunctionDeclaration(name, overloads);
    }

    private static CelOverloadDecl global(String id, CelType result, CelType... arguments) {
        return CelOverloadDecl.newGlobalOverload(id, result, arguments);
    }

    private static CelOverloadDecl member(String id, CelType result, CelType... arguments) {
        return CelOverloadDecl.newMemberOverload(id, result, arguments);
    }
}
