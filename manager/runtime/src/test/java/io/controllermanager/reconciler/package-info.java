/** Tests of controllers. */
@NullMarked
package io.controllermanager.reconciler;

import org.jspecify.annotations.NullMarked;
