/** One operator for schemas of a MySQL server, on this framework and on the Java Operator SDK. */
@NullMarked
package io.controllermanager.testing.foreigners.mysql;

import org.jspecify.annotations.NullMarked;
