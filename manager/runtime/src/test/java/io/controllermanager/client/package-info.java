/** Tests of {@code client}. */
@NullMarked
package io.controllermanager.client;

import org.jspecify.annotations.NullMarked;
