/** The executable, which is an application like any other: controllers as dependencies and a {@code main}. */
@NullMarked
package io.controllermanager.app;

import org.jspecify.annotations.NullMarked;
