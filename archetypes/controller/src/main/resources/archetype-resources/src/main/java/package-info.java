/** An operator for objects of kind ${kind}. */
@NullMarked
package ${package};

import org.jspecify.annotations.NullMarked;
