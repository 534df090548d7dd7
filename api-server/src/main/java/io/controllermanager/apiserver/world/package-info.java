/**
 * A world that moves: what controllers, scheduler, kubelet and provisioner of a cluster make of workloads, by rules that a
 * test can set. Nothing of it is loaded where it is off.
 */
@NullMarked
package io.controllermanager.apiserver.world;

import org.jspecify.annotations.NullMarked;
