/** What goes wrong on demand: which requests are struck, and how. */
@NullMarked
package io.controllermanager.apiserver.faults;

import org.jspecify.annotations.NullMarked;
