/**
 * How Events are folded, limited and written in the background. For the host; it may change with every version.
 */
@NullMarked
package io.controllermanager.recorder.internal;

import org.jspecify.annotations.NullMarked;
