/** What the JVM's compilers cost the executable in its first minutes, and what they gain it, by policy and load. */
@NullMarked
package io.controllermanager.benchmarks.compilers;

import org.jspecify.annotations.NullMarked;
