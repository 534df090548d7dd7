/** Tests of {@code informer}. */
@NullMarked
package io.controllermanager.informer.internal.partition;

import org.jspecify.annotations.NullMarked;
