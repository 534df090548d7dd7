/**
 * Gives JUnit tests a real control plane: annotate a class with
 * {@link io.controllermanager.testing.controlplane.junit.RealControlPlane} and take a
 * {@link io.controllermanager.testing.controlplane.ControlPlane} as a parameter.
 */
@NullMarked
package io.controllermanager.testing.controlplane.junit;

import org.jspecify.annotations.NullMarked;
