/**
 * A Kubernetes API server inside the JVM, for demos and for tests of controllers: {@link
 * io.controllermanager.apiserver.ApiServer}. It keeps everything in memory, starts in milliseconds and, asked to,
 * makes things go wrong. What it serves and where it differs from the real one is told in docs/embedded-api-server.md.
 *
 * <p>This package, {@code faults}, {@code writes} and {@code junit} are for users; the others are how it works and may
 * change.
 */
@NullMarked
package io.controllermanager.apiserver;

import org.jspecify.annotations.NullMarked;
