/**
 * Compatibility with client-java. What was written for client-java runs here unchanged: its {@code SharedInformerFactory}, its
 * callers' own lists and watches, and its controllers. The other packages do not know this one.
 * It may change with every version.
 *
 * <p>{@link io.controllermanager.clientjava.internal.ClientJavaController} makes a client-java {@code Controller} one of the host's. The
 * host sees it through {@link io.controllermanager.manager.internal.ControllerAdapter}. What must be read from client-java's private
 * fields is read here.
 */
@NullMarked
package io.controllermanager.clientjava.internal;

import org.jspecify.annotations.NullMarked;
