/**
 * Controllers written for objects rather than keys. An {@link io.controllermanager.reconciler.ObjectReconciler} is given the
 * object and a {@link io.controllermanager.reconciler.Reconciliation}, with which it applies children and reports a status;
 * {@link io.controllermanager.reconciler.TypedController} makes a descriptor of it, so that it is hosted as any other
 * controller is. {@link io.controllermanager.reconciler.Applier} and {@link io.controllermanager.reconciler.StatusWriter} do
 * the same for a reconciler of client-java.
 *
 * <p>Read {@code ControllerDescription} first (what a controller watches), then {@code Drift} (when nothing is written).
 */
@NullMarked
package io.controllermanager.reconciler;

import org.jspecify.annotations.NullMarked;
