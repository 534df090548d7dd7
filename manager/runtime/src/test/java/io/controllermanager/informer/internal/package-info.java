/** Tests of {@code informer}. */
@NullMarked
package io.controllermanager.informer.internal;

import org.jspecify.annotations.NullMarked;
