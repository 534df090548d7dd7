/** Brings the Network controller into a Spring Boot application. The only package here that knows Spring. */
@NullMarked
package io.controllermanager.network.autoconfigure;

import org.jspecify.annotations.NullMarked;
