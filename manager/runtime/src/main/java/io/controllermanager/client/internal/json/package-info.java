/**
 * How objects are read from JSON and written to it: Gson with the parser of Jackson and accessors of its own. Measured beside
 * Jackson's databind ({@code benchmarks/results/libraries.txt}): that takes twice the processor time for the first object in a
 * new JVM, since it looks at all classes that a type can reach (with generated accessors, three times); it reads a list 7 to
 * 13 % faster.
 */
@NullMarked
package io.controllermanager.client.internal.json;

import org.jspecify.annotations.NullMarked;
