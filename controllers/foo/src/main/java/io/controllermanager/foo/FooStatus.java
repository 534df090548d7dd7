package io.controllermanager.foo;

import org.jspecify.annotations.Nullable;

/**
 * What the controller found.
 *
 * @param availableReplicas How many of the Deployment's replicas are available.
 */
public record FooStatus(@Nullable Integer availableReplicas) {}
