/**
 * What exists only so that code written for client-java works on this machinery: its {@code SharedInformerFactory} over this
 * project's informers, its callers' own lists and watches, and its controllers with queues of their own. Nothing below
 * knows of this package; what must be read from client-java's private fields is read here.
 */
@NullMarked
package io.controllermanager.clientjava;

import org.jspecify.annotations.NullMarked;
