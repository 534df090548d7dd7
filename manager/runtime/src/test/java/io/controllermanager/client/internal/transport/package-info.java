/** Tests of {@code client}. */
@NullMarked
package io.controllermanager.client.internal.transport;

import org.jspecify.annotations.NullMarked;
