package io.controllermanager.spring.config;

import io.controllermanager.controller.ControllerOptions;

/**
 * What the configuration needs to know of a controller.
 *
 * @param name its name
 * @param enabledByDefault whether {@code *} in the list of controllers includes it
 * @param options how it runs unless properties say otherwise
 */
public record KnownController(String name, boolean enabledByDefault, ControllerOptions options) {}
