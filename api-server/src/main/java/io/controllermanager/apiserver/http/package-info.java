/**
 * HTTP: requests and responses as values, Netty, which carries them and which no other package knows, and {@code
 * Status}, in which everything that goes wrong is told.
 */
@NullMarked
package io.controllermanager.apiserver.http;

import org.jspecify.annotations.NullMarked;
