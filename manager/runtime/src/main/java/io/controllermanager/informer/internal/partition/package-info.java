/**
 * What of the API server an informer holds, and in which parts: each part has a reflector, and turns what that brings into
 * changes of the store and events.
 */
@NullMarked
package io.controllermanager.informer.internal.partition;

import org.jspecify.annotations.NullMarked;
