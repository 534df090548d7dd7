package io.controllermanager.network;

import org.jspecify.annotations.Nullable;

/**
 * What can be said of a Network's spec by itself, without a look at others. Everything is judged here, though the CRD
 * refuses most of it already: an older CRD may be installed.
 *
 * <p>Where Kubernetes had to choose, its choice for new APIs is taken (KEP-4858): bits after the prefix and IPv4-mapped
 * IPv6 addresses are refused, since programs disagree about what they mean. IPv6 text need not be canonical.
 */
sealed interface Verdict {

    /**
     * All is well.
     *
     * @param cidr the range, with no bit set after the prefix
     * @param gateway the gateway given, or the first usable address
     */
    record Valid(Cidr cidr, IpAddress gateway) implements Verdict {}

    /**
     * Something is wrong.
     *
     * @param reason what, for machines
     * @param message what, for people
     */
    record Invalid(String reason, String message) implements Verdict {}

    /** {@code spec.cidr} is missing or no address range. */
    String INVALID_CIDR = "InvalidCIDR";
    /** {@code spec.cidr} has bits set after its prefix. */
    String HOST_BITS_SET = "HostBitsSet";
    /** {@code spec.gateway} is no address. */
    String INVALID_GATEWAY = "InvalidGateway";
    /** An IPv4 address is written as an IPv6 one. */
    String IPV4_MAPPED = "IPv4MappedIPv6";
    /** The gateway is IPv4 and the range IPv6, or the other way round. */
    String GATEWAY_FAMILY_MISMATCH = "GatewayFamilyMismatch";
    /** The gateway lies outside the range. */
    String GATEWAY_OUT_OF_RANGE = "GatewayOutOfRange";
    /** The gateway has the address that stands for the network itself. */
    String GATEWAY_IS_NETWORK_ADDRESS = "GatewayIsNetworkAddress";
    /** The gateway has the broadcast address. */
    String GATEWAY_IS_BROADCAST_ADDRESS = "GatewayIsBroadcastAddress";

    /** Judges a spec. */
    static Verdict of(@Nullable NetworkSpec spec) {
        String text = spec == null ? null : spec.cidr();
        if (text == null || text.isEmpty()) {
            return new Invalid(INVALID_CIDR, "spec.cidr is missing");
        }
        Cidr cidr;
        try {
            cidr = Cidr.parse(text);
        } catch (IllegalArgumentException e) {
            return new Invalid(INVALID_CIDR, "spec.cidr: " + e.getMessage());
        }
        if (cidr.address().isIpv4Mapped()) {
            return new Invalid(
                    IPV4_MAPPED,
                    "spec.cidr: " + text + " is IPv4 written as IPv6; write it as IPv4 to say what is meant");
        }
        if (!cidr.equals(cidr.masked())) {
            return new Invalid(
                    HOST_BITS_SET,
                    "spec.cidr: " + cidr + " has bits set after the prefix; the range is " + cidr.masked());
        }
        String gateway = spec == null ? null : spec.gateway();
        return gateway == null || gateway.isEmpty() ? new Valid(cidr, cidr.firstUsable()) : judgeGateway(cidr, gateway);
    }

    private static Verdict judgeGateway(Cidr cidr, String text) {
        IpAddress gateway;
        try {
            gateway = IpAddress.parse(text);
        } catch (IllegalArgumentException e) {
            return new Invalid(INVALID_GATEWAY, "spec.gateway: " + e.getMessage());
        }
        String subject = "spec.gateway: " + gateway;
        if (gateway.isIpv4Mapped()) {
            return new Invalid(
                    IPV4_MAPPED, subject + " is IPv4 written as IPv6; write it as IPv4 to say what is meant");
        }
        if (gateway.family() != cidr.family()) {
            return new Invalid(
                    GATEWAY_FAMILY_MISMATCH,
                    subject + " is " + gateway.family() + ", but " + cidr + " is " + cidr.family());
        }
        if (!cidr.contains(gateway)) {
            return new Invalid(GATEWAY_OUT_OF_RANGE, subject + " is not in " + cidr);
        }
        if (gateway.compareTo(cidr.firstUsable()) < 0) {
            return new Invalid(GATEWAY_IS_NETWORK_ADDRESS, subject + " is the network address of " + cidr);
        }
        if (gateway.compareTo(cidr.lastUsable()) > 0) {
            return new Invalid(GATEWAY_IS_BROADCAST_ADDRESS, subject + " is the broadcast address of " + cidr);
        }
        return new Valid(cidr, gateway);
    }
}
