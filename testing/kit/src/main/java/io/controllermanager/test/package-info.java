/**
 * What authors of controllers test with, on the embedded API server. {@link io.controllermanager.test.RunningManager} runs
 * controllers, in virtual time if asked to; {@link io.controllermanager.test.Convergence} says when they have converged and
 * that they write nothing then; {@link io.controllermanager.test.KubernetesAssertions} looks at objects and Events.
 *
 * <p>A {@link io.controllermanager.test.Scenario} is played again and again, each time with something else going wrong, and
 * has to end alike: {@link io.controllermanager.test.CrashPoints}, {@link io.controllermanager.test.RefusedWrites}, {@link
 * io.controllermanager.test.OvertakenWrites}, {@link io.controllermanager.test.DeletedChildren}, {@link
 * io.controllermanager.test.SameEnd}; {@link io.controllermanager.test.NamedFault} has them by name. docs/testing.md has examples.
 *
 * <p>{@link io.controllermanager.test.RoundTrip} checks conversions between versions of a type, {@link
 * io.controllermanager.test.Admissions} asks validators and defaulters. Both need controller-manager-webhooks.
 */
@NullMarked
package io.controllermanager.test;

import org.jspecify.annotations.NullMarked;
