/**
 * When something is to be done: the slots of a {@link io.controllermanager.schedule.Schedule}, and which of them are due. Pure
 * functions of times that callers give; nothing here reads a clock, waits or stores. {@code Reconciliation.scheduled} runs slots
 * and stores which was the last.
 */
@NullMarked
package io.controllermanager.schedule;

import org.jspecify.annotations.NullMarked;
