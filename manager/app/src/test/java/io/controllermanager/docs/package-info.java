/** What README and docs show, compiled, and the check that they show just that. */
@NullMarked
package io.controllermanager.docs;

import org.jspecify.annotations.NullMarked;
