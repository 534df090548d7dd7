/**
 * The host: starts informers, leadership and controllers in order, stops them in the reverse order,
 * and tells how each of them is.
 */
@NullMarked
package io.controllermanager.manager;

import org.jspecify.annotations.NullMarked;
