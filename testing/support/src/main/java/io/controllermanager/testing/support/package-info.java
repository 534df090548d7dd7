/**
 * What the tests of all modules share. {@link io.controllermanager.testing.support.Waiting} is the one limit for waiting,
 * which is also Awaitility's default in every test run that has this module on its class path. A long run keeps a record of
 * the classes that have passed, and a build ends with a list of the slowest.
 */
@NullMarked
package io.controllermanager.testing.support;

import org.jspecify.annotations.NullMarked;
