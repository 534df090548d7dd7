/** What the embedded API server costs. */
@NullMarked
package io.controllermanager.benchmarks.apiserver;

import org.jspecify.annotations.NullMarked;
