/** What managers take to do the work that is there when they are launched: ours and its peers in turn. */
@NullMarked
package io.controllermanager.benchmarks.firstminute;

import org.jspecify.annotations.NullMarked;
