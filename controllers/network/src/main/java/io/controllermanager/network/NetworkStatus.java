package io.controllermanager.network;

import io.kubernetes.client.openapi.models.V1Condition;
import jakarta.validation.constraints.Pattern;
import java.util.List;
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

    /** The condition of the given type, null if there is none. */
    public @Nullable V1Condition condition(String type) {
        if (conditions == null) {
            return null;
        }
        for (V1Condition condition : conditions) {
            if (type.equals(condition.getType())) {
                return condition;
            }
        }
        return null;
    }
}
