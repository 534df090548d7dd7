/** Time that stands still until a test moves it, and the tests of the timers themselves. */
@NullMarked
package io.controllermanager.time.internal;

import org.jspecify.annotations.NullMarked;
