/**
 * How objects come from the API server: a reflector lists and watches, over HTTP or a caller's own source.
 */
@NullMarked
package io.controllermanager.informer.internal.reflector;

import org.jspecify.annotations.NullMarked;
