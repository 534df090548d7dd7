/** What goes wrong on demand: which requests are struck, and how. */
@NullMarked
package io.controllermanager.testing.apiserver.faults;

import org.jspecify.annotations.NullMarked;
