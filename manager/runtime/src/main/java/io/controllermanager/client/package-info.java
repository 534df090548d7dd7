/**
 * Requests to the API server: which server and with which credentials, how a resource type is
 * named in a URL, limits, metrics, and the two places where others may have a say in each request
 * (a fence that refuses writes, an observer that sees what was written).
 *
 * <p>The JSON binding is Gson's, with the parser of Jackson and accessors of its own. Measured beside Jackson's databind
 * ({@code benchmarks/results/libraries.txt}): that takes twice the processor time for the first object in a new JVM, since it
 * looks at all classes that a type can reach (with generated accessors, three times); it reads a list 7 to 13 % faster.
 */
@NullMarked
package io.controllermanager.client;

import org.jspecify.annotations.NullMarked;
