/**
 * A local, always current copy of the API server{@code 's} objects of one type: a reflector lists and watches,
 * a store holds and indexes, handlers are told what changed. The package {@code clientjava} serves it to users of
 * client-java under its {@code SharedInformerFactory} type.
 */
@NullMarked
package io.controllermanager.informer;

import org.jspecify.annotations.NullMarked;
