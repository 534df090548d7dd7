package io.controllermanager.benchmarks.throughput;

import java.util.List;

/**
 * A manager to measure.
 *
 * @param name what the results call it
 * @param command its command line; it finds the API server by {@code KUBECONFIG}
 */
record Contender(String name, List<String> command) {}
