/** Tests of {@code client}. */
@NullMarked
package io.controllermanager.client.internal.request;

import org.jspecify.annotations.NullMarked;
