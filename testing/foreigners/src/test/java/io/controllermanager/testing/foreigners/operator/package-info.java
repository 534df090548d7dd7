/**
 * An operator written with the Java Operator SDK, as its documentation writes one: dependents, a status, a finalizer, an
 * event source and leader election.
 */
@NullMarked
package io.controllermanager.testing.foreigners.operator;

import org.jspecify.annotations.NullMarked;
