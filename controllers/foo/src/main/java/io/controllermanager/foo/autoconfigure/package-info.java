/** Brings the Foo controller into a Spring Boot application. The only package here that knows Spring. */
@NullMarked
package io.controllermanager.foo.autoconfigure;

import org.jspecify.annotations.NullMarked;
