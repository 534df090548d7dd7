/**
 * HTTP: requests and responses as values, the JDK's server that carries them, and {@code Status}, in which everything
 * that goes wrong is told.
 */
@NullMarked
package io.controllermanager.testing.apiserver.http;

import org.jspecify.annotations.NullMarked;
