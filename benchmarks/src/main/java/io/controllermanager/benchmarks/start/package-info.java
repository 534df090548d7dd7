/** How long a controller manager takes from its command to readiness, and what that costs. */
@NullMarked
package io.controllermanager.benchmarks.start;

import org.jspecify.annotations.NullMarked;
