/** What {@code docs/compatibility.md} promises to those who upgrade, and what would break it. */
@NullMarked
package io.controllermanager.promises;

import org.jspecify.annotations.NullMarked;
