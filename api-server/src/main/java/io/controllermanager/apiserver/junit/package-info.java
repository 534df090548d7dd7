/**
 * Gives JUnit tests an embedded API server: annotate a class with {@link
 * io.controllermanager.apiserver.junit.EmbeddedApiServer} and take an {@link
 * io.controllermanager.apiserver.ApiServer} as a parameter.
 */
@NullMarked
package io.controllermanager.apiserver.junit;

import org.jspecify.annotations.NullMarked;
