/**
 * The host's one connection and what every request on it passes: limits, metrics, retries, the fence that refuses writes and
 * the observer of what was written. It also knows whether the API server answers, and whether its storage was put back.
 * {@link io.controllermanager.client.internal.connection.ApiConnection} puts these together.
 */
@NullMarked
package io.controllermanager.client.internal.connection;

import org.jspecify.annotations.NullMarked;
