/**
 * The Network controller: judges the address range and gateway of a
 * {@link io.controllermanager.network.Network}, derives what follows from them, and tells Networks of
 * one namespace that claim the same addresses. It makes nothing outside the API server.
 *
 * <p>Read {@link io.controllermanager.network.NetworkController} first (what it watches), then
 * {@link io.controllermanager.network.NetworkReconciler} (what it does with one Network).
 */
@NullMarked
package io.controllermanager.network;

import org.jspecify.annotations.NullMarked;
