package io.controllermanager.app;

import org.jspecify.annotations.Nullable;

/**
 * Where the actuator's endpoints are.
 *
 * @param basePath the path that theirs begin with, below the application's own
 * @param port the port that they have to themselves, -1 if they are switched off; null where it is the page's
 */
record EndpointsAddress(String basePath, @Nullable Integer port) {}
