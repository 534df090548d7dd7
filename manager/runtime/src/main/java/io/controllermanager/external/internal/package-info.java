/**
 * How outside resources are kept: the record on the object, the cache of what was read, and the gate that holds calls back. For
 * the host; it may change with every version.
 */
@NullMarked
package io.controllermanager.external.internal;

import org.jspecify.annotations.NullMarked;
