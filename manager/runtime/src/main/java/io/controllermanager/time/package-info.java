/**
 * Where the time comes from: a clock to read. Whatever waits or measures takes it as a constructor argument, so that tests run
 * in virtual time. The system clock measures durations by the monotonic time of the machine, never by the wall clock, which
 * may jump.
 */
@NullMarked
package io.controllermanager.time;

import org.jspecify.annotations.NullMarked;
