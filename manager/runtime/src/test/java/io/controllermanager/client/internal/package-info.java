/** Tests of {@code client}. */
@NullMarked
package io.controllermanager.client.internal;

import org.jspecify.annotations.NullMarked;
