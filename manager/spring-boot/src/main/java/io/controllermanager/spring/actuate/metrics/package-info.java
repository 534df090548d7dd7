/** Metrics as Prometheus and its tools want them. */
@NullMarked
package io.controllermanager.spring.actuate.metrics;

import org.jspecify.annotations.NullMarked;
