/**
 * How requests reach the API server: the connection and its credentials, limits, metrics, JSON, the fence that refuses
 * writes and the observer of what was written. For the host; it may change with every version.
 *
 * <p>The JSON binding is Gson's, with the parser of Jackson and accessors of its own. Measured beside Jackson's databind
 * ({@code benchmarks/results/libraries.txt}): that takes twice the processor time for the first object in a new JVM, since it
 * looks at all classes that a type can reach (with generated accessors, three times); it reads a list 7 to 13 % faster.
 */
@NullMarked
package io.controllermanager.client.internal;

import org.jspecify.annotations.NullMarked;
