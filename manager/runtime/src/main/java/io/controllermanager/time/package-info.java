/**
 * Where time comes from: a clock to read and a timer to be called back by. Everything in the
 * runtime that waits or measures takes both as constructor arguments, so that tests run in virtual
 * time: {@link io.controllermanager.time.internal.VirtualTime} is here for them. The system clock measures
 * durations by the monotonic time of the machine, never by the wall clock, which may jump.
 */
@NullMarked
package io.controllermanager.time;

import org.jspecify.annotations.NullMarked;
