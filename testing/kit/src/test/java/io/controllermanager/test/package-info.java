/** Tests of the kit, on a small controller. */
@NullMarked
package io.controllermanager.test;

import org.jspecify.annotations.NullMarked;
