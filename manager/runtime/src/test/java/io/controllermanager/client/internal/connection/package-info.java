/** Tests of {@code client}. */
@NullMarked
package io.controllermanager.client.internal.connection;

import org.jspecify.annotations.NullMarked;
