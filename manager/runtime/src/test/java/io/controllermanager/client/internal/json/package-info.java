/** Tests of {@code client}. */
@NullMarked
package io.controllermanager.client.internal.json;

import org.jspecify.annotations.NullMarked;
