/**
 * How bytes get to the API server: its URL, TLS with certificates that may be renewed, and proxies. Knows nothing of
 * Kubernetes but the names in its messages.
 */
@NullMarked
package io.controllermanager.client.internal.transport;

import org.jspecify.annotations.NullMarked;
