/** Measurements of the whole product beside its peers, each with one command to repeat it. */
@NullMarked
package io.controllermanager.benchmarks;

import org.jspecify.annotations.NullMarked;
