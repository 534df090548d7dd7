/**
 * The Java Operator SDK's sample operator for web pages, written anew: in this package on Controller Manager, in {@code sdk} on the
 * SDK. docs/from-java-operator-sdk.md shows both.
 */
@NullMarked
package io.controllermanager.testing.foreigners.webpage;

import org.jspecify.annotations.NullMarked;
