/** The control plane that contenders are measured in front of, and objects put into it fast. */
@NullMarked
package io.controllermanager.benchmarks.plane;

import org.jspecify.annotations.NullMarked;
