/** Tests of controllers. */
@NullMarked
package io.controllermanager.controller.internal;

import org.jspecify.annotations.NullMarked;
