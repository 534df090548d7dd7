/** The work queue by itself, beside client-java's and client-go's: cycles a second, and how late delayed keys are. */
@NullMarked
package io.controllermanager.benchmarks.queue;

import org.jspecify.annotations.NullMarked;
