/** Tests of {@code informer}. */
@NullMarked
package io.controllermanager.informer;

import org.jspecify.annotations.NullMarked;
