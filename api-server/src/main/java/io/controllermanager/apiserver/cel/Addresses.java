package io.controllermanager.apiserver.cel;

import static io.controllermanager.apiserver.cel.Functions.BOOL;
import static io.controllermanager.apiserver.cel.Functions.INT;
import static io.controllermanager.apiserver.cel.Functions.STRING;

import com.google.common.net.InetAddresses;
import dev.cel.common.types.OpaqueType;
import dev.cel.runtime.CelEvaluationException;
import io.controllermanager.apiserver.cel.Functions.Kind;
import java.math.BigInteger;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The functions about IP addresses and address ranges (apiserver, pkg/cel/library/ip.go and cidr.go). What an address
 * is, Go's net/netip says: no zones, no leading zeros, no IPv4 written as IPv6.
 */
final class Addresses {

    private static final Kind<Ip> IP = new Kind<>(OpaqueType.create("net.IP"), Ip.class);
    private static final Kind<Cidr> CIDR = new Kind<>(OpaqueType.create("net.CIDR"), Cidr.class);

    private static final Pattern ADDRESS = Pattern.compile("[0-9a-fA-F:.]+");
    private static final Pattern RANGE = Pattern.compile("(.*)/(0|[1-9][0-9]{0,2})");

    private Addresses() {}

    /** An address. */
    record Ip(InetAddress address) {

        static Optional<Ip> parse(String text) {
            return Optional.of(text)
                    .filter(ADDRESS.asMatchPredicate())
                    .filter(InetAddresses::isInetAddress)
                    .map(address -> new Ip(InetAddresses.forString(address)))
                    .filter(ip -> ip.family() == 6 || !text.contains(":"));
        }

        static Ip of(String text) throws CelEvaluationException {
            String wrong = "IP Address \"" + text + "\" parse error during conversion from string";
            return parse(text).orElseThrow(() -> new CelEvaluationException(wrong));
        }

        long family() {
            return address instanceof Inet4Address ? 4 : 6;
        }

        int size() {
            return 8 * address.getAddress().length;
        }

        boolean isGlobalUnicast() {
            boolean broadcast = family() == 4 && InetAddresses.coerceToInteger(address) == -1;
            return !(broadcast
                    || address.isAnyLocalAddress()
                    || address.isLoopbackAddress()
                    || address.isMulticastAddress()
                    || address.isLinkLocalAddress());
        }

        Ip masked(int bits) {
            int others = size() - bits;
            BigInteger kept =
                    InetAddresses.toBigInteger(address).shiftRight(others).shiftLeft(others);
            return new Ip(
                    family() == 4 ? InetAddresses.fromIPv4BigInteger(kept) : InetAddresses.fromIPv6BigInteger(kept));
        }

        @Override
        public String toString() {
            return InetAddresses.toAddrString(address);
        }
    }

    /** An address with the number of bits that all addresses of its range share. */
    record Cidr(Ip ip, int bits) {

        static Optional<Cidr> parse(String text) {
            Matcher parts = RANGE.matcher(text);
            return (parts.matches() ? Ip.parse(parts.group(1)) : Optional.<Ip>empty())
                    .map(ip -> new Cidr(ip, Integer.parseInt(parts.group(2))))
                    .filter(cidr -> cidr.bits <= cidr.ip.size());
        }

        static Cidr of(String text) throws CelEvaluationException {
            String wrong = "network address parse error during conversion from string: \"" + text;
            return parse(text).orElseThrow(() -> new CelEvaluationException(wrong + "\" is no address range"));
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

    static void addTo(Functions functions) {
        functions
                .global("isIP", BOOL, STRING, text -> Ip.parse(text).isPresent())
                .global("ip", IP, STRING, Ip::of)
                .global(
                        "ip.isCanonical",
                        BOOL,
                        STRING,
                        text -> Ip.of(text).toString().equals(text))
                .global("string", STRING, IP, Ip::toString)
                .member("family", INT, IP, Ip::family)
                .member("isUnspecified", BOOL, IP, ip -> ip.address().isAnyLocalAddress())
                .member("isLoopback", BOOL, IP, ip -> ip.address().isLoopbackAddress())
                .member("isLinkLocalMulticast", BOOL, IP, ip -> ip.address().isMCLinkLocal())
                .member("isLinkLocalUnicast", BOOL, IP, ip -> ip.address().isLinkLocalAddress())
                .member("isGlobalUnicast", BOOL, IP, Ip::isGlobalUnicast)
                .global("isCIDR", BOOL, STRING, text -> Cidr.parse(text).isPresent())
                .global("cidr", CIDR, STRING, Cidr::of)
                .global("string", STRING, CIDR, Cidr::toString)
                .member("ip", IP, CIDR, Cidr::ip)
                .member("masked", CIDR, CIDR, Cidr::masked)
                .member("prefixLength", INT, CIDR, cidr -> (long) cidr.bits())
                .member("containsIP", BOOL, CIDR, IP, Cidr::contains)
                .member("containsIP", BOOL, CIDR, STRING, (cidr, ip) -> cidr.contains(Ip.of(ip)))
                .member("containsCIDR", BOOL, CIDR, CIDR, Cidr::contains)
                .member("containsCIDR", BOOL, CIDR, STRING, (cidr, other) -> cidr.contains(Cidr.of(other)));
    }
}
