/** The operator for schemas on the Java Operator SDK. */
@NullMarked
package io.controllermanager.testing.foreigners.mysql.sdk;

import org.jspecify.annotations.NullMarked;
