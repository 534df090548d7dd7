package io.controllermanager.network;

import io.kubernetes.client.openapi.models.V1Condition;
import jakarta.validation.constraints.Pattern;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the controller found.
 *
 * @param observedGeneration The generation of the spec that the status is about.
 * @param networkAddress The first address of the range. Like all derived fields only there while the spec is valid.
 * @param prefixLength How many bits the addresses share.
 * @param gateway The gateway's address in canonical form.
 * @param usableRange The addresses that hosts, the gateway among them, may have. Without the network address and, in IPv4, the
 *     broadcast address, unless the range has one or two addresses only (RFC 3021, RFC 6164).
 * @param capacity How many usable addresses there are, in decimal. A string, since an IPv6 range may have more than a 64-bit integer
 *     can hold.
 * @param conditions Valid tells whether cidr and gateway make sense by themselves; Ready, whether the Network is valid and no other
 *     valid Network of the namespace overlaps it.
 */
public record NetworkStatus(
        @Nullable Long observedGeneration,
        @Nullable String networkAddress,
        @Nullable Integer prefixLength,
        @Nullable String gateway,
        @Nullable UsableRange usableRange,
        @Pattern(regexp = "[0-9]+") @Nullable String capacity,
        @Nullable List<V1Condition> conditions) {

    /**
     * The addresses that hosts may have, both ends included.
     *
     * @param first The lowest.
     * @param last The highest.
     */
    public record UsableRange(
            @Nullable String first, @Nullable String last) {}

    /** Whether range and gateway are those of another status. */
    boolean derivesTheSameAs(@Nullable NetworkStatus other) {
        return other != null
                && Objects.equals(networkAddress, other.networkAddress)
                && Objects.equals(prefixLength, other.prefixLength)
                && Objects.equals(gateway, other.gateway);
    }

    /** Range and gateway in words. */
    String derived() {
        return "network " + networkAddress + "/" + prefixLength + ", gateway " + gateway
                + (usableRange == null ? "" : ", usable " + usableRange.first() + " to " + usableRange.last());
    }
}
