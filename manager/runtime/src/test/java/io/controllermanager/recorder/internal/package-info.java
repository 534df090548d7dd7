/** Tests of {@code recorder}. */
@NullMarked
package io.controllermanager.recorder.internal;

import org.jspecify.annotations.NullMarked;
