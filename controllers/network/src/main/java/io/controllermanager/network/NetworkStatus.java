package io.controllermanager.network;

import io.kubernetes.client.openapi.models.V1Condition;
import jakarta.validation.constraints.Pattern;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the controller found. The derived fields are there only while the Network is valid.
 *
 * @param observedGeneration the generation of the spec that this is about
 * @param networkAddress the first address of the range
 * @param prefixLength how many bits the addresses share
 * @param gateway the gateway's address in canonical form
 * @param usableRange the addresses that hosts, the gateway among them, may have
 * @param capacity how many usable addresses there are, in decimal; a string, as an IPv6 range may have 2<sup>128</sup>
 * @param conditions Valid and Ready, and whatever others add
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
     * @param first the lowest
     * @param last the highest
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
