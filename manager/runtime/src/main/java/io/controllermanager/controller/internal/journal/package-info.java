/**
 * What reconciles have done, and why they ran, of the keys that were reconciled last: {@link
 * io.controllermanager.controller.internal.journal.Journal}. Records are kept encoded, within a number of bytes, and refer to no
 * object.
 */
@NullMarked
package io.controllermanager.controller.internal.journal;

import org.jspecify.annotations.NullMarked;
