/** How fast caches fill, and what they take, beside peers. */
@NullMarked
package io.controllermanager.benchmarks.fill;

import org.jspecify.annotations.NullMarked;
