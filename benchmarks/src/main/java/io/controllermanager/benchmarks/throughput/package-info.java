/**
 * How fast managers make Deployments of Foos, cold and warm, and how long a single one takes: ours and its peers in turn,
 * on one API server.
 */
@NullMarked
package io.controllermanager.benchmarks.throughput;

import org.jspecify.annotations.NullMarked;
