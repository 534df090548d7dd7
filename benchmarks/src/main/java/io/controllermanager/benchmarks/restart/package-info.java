/** How long a user waits for an edit right after a restart, when everything there is waits to be looked at. */
@NullMarked
package io.controllermanager.benchmarks.restart;

import org.jspecify.annotations.NullMarked;
