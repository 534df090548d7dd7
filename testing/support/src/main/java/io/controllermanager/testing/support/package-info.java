/**
 * What the tests of all modules share: one limit for waiting, which is also Awaitility's default in every test run that
 * has this module on its class path.
 */
@NullMarked
package io.controllermanager.testing.support;

import org.jspecify.annotations.NullMarked;
