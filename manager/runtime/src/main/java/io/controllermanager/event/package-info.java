/**
 * What informers tell controllers: an object was created, updated or deleted. Predicates say which
 * of it matters, mappers turn it into the keys of the objects to reconcile.
 */
@NullMarked
package io.controllermanager.event;

import org.jspecify.annotations.NullMarked;
