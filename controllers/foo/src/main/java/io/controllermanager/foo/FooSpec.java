package io.controllermanager.foo;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Size;
import org.jspecify.annotations.Nullable;

/**
 * What is wanted of a Foo.
 *
 * @param deploymentName the Deployment's name, in the Foo's namespace
 * @param replicas the Deployment's replicas; null leaves them as they are (a new Deployment gets the API server's
 *     default of 1)
 */
public record FooSpec(
        @Size(max = 253) @Nullable String deploymentName,
        @Min(1) @Max(10) @Nullable Integer replicas) {}
