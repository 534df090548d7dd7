/**
 * How requests reach the API server: the connection and its credentials, limits, metrics, JSON, the fence that refuses
 * writes and the observer of what was written. For the host; it may change with every version.
 */
@NullMarked
package io.controllermanager.client.internal;

import org.jspecify.annotations.NullMarked;
