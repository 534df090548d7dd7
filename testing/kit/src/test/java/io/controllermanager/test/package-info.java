/** Tests of the kit, on a small controller. What its checks find is tested beside Foo, by {@code TypicalBugsTest}. */
@NullMarked
package io.controllermanager.test;

import org.jspecify.annotations.NullMarked;
