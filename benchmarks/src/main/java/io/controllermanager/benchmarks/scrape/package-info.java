/** How long a scrape of the metrics takes. */
@NullMarked
package io.controllermanager.benchmarks.scrape;

import org.jspecify.annotations.NullMarked;
