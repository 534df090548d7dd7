/**
 * The timer beside the clock: the machine's, and both in virtual time for tests. Also what happens so often in a time. For the
 * host; it may change with every version.
 */
@NullMarked
package io.controllermanager.time.internal;

import org.jspecify.annotations.NullMarked;
