/**
 * Gives JUnit tests an embedded API server: annotate a class with {@link
 * io.controllermanager.testing.apiserver.junit.EmbeddedApiServer} and take an {@link
 * io.controllermanager.testing.apiserver.ApiServer} as a parameter.
 */
@NullMarked
package io.controllermanager.testing.apiserver.junit;

import org.jspecify.annotations.NullMarked;
