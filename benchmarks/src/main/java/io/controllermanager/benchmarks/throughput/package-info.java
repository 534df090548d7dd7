/**
 * How fast a manager that starts in front of many Foos makes their Deployments: ours and controller-runtime in turn, on
 * one API server.
 */
@NullMarked
package io.controllermanager.benchmarks.throughput;

import org.jspecify.annotations.NullMarked;
