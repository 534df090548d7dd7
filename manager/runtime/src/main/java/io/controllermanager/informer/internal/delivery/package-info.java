/**
 * How subscribers are told what has changed: each in order, on a thread of its own.
 */
@NullMarked
package io.controllermanager.informer.internal.delivery;

import org.jspecify.annotations.NullMarked;
