/** What README and docs show, compiled; the checks that they show just that, and that their text is short and its links work. */
@NullMarked
package io.controllermanager.docs;

import org.jspecify.annotations.NullMarked;
