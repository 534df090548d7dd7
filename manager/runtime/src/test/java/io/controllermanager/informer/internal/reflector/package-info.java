/** Tests of {@code informer}. */
@NullMarked
package io.controllermanager.informer.internal.reflector;

import org.jspecify.annotations.NullMarked;
