/**
 * Compatibility with client-java, in one room. What was written for client-java runs here unchanged: its controllers and
 * the informers that they read from. The other packages do not know this one.
 *
 * <p>{@link io.controllermanager.clientjava.ClientJavaController} makes a client-java {@code Controller} one of the host's. The
 * host sees it through {@link io.controllermanager.manager.ControllerAdapter}.
 */
@NullMarked
package io.controllermanager.clientjava;

import org.jspecify.annotations.NullMarked;
