/**
 * How informers work: a reflector lists and watches, a store holds and indexes, handlers are told what changed. For the
 * host; it may change with every version.
 */
@NullMarked
package io.controllermanager.informer.internal;

import org.jspecify.annotations.NullMarked;
