/** Tests of {@code informer}. */
@NullMarked
package io.controllermanager.informer.internal.store;

import org.jspecify.annotations.NullMarked;
