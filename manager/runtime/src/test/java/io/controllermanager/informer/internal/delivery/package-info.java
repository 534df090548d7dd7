/** Tests of {@code informer}. */
@NullMarked
package io.controllermanager.informer.internal.delivery;

import org.jspecify.annotations.NullMarked;
