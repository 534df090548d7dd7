/** What informers cost. */
@NullMarked
package io.controllermanager.benchmarks.informer;

import org.jspecify.annotations.NullMarked;
