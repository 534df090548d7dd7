package io.controllermanager.foo;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Size;
import org.jspecify.annotations.Nullable;

/**
 * What is wanted.
 *
 * @param deploymentName The Deployment's name, in the Foo's namespace. A Foo without one is reported by a Warning Event. A Deployment of
 *     a name used before stays when the name changes.
 * @param replicas The Deployment's replicas. Left out, a new Deployment gets one, and whatever is set in it afterwards stays.
 */
public record FooSpec(
        @Size(max = 253) @Nullable String deploymentName,
        @Min(1) @Max(10) @Nullable Integer replicas) {}
