/** Tests of the kit, on a small controller and on copies of it that have one bug each. */
@NullMarked
package io.controllermanager.test;

import org.jspecify.annotations.NullMarked;
