/** What replicas hold, receive and do that share one controller's work, and how its shards change hands. */
@NullMarked
package io.controllermanager.benchmarks.shards;

import org.jspecify.annotations.NullMarked;
