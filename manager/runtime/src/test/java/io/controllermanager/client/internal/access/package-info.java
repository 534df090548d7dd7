/** Tests of {@code client}. */
@NullMarked
package io.controllermanager.client.internal.access;

import org.jspecify.annotations.NullMarked;
