/** Tests of {@code recorder}. */
@NullMarked
package io.controllermanager.recorder;

import org.jspecify.annotations.NullMarked;
