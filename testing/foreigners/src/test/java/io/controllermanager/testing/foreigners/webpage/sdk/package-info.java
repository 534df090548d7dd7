/** The operator for web pages on the Java Operator SDK. */
@NullMarked
package io.controllermanager.testing.foreigners.webpage.sdk;

import org.jspecify.annotations.NullMarked;
