/**
 * How a controller runs: its workers, their queue, time limits, failures and metrics. For the host; it may change with
 * every version.
 */
@NullMarked
package io.controllermanager.controller.internal;

import org.jspecify.annotations.NullMarked;
