/**
 * A real Kubernetes control plane for tests: etcd and kube-apiserver, and where asked for kube-controller-manager
 * or three of its controllers, kube-scheduler and nodes played by kwok, as processes of this machine.
 *
 * <p>{@link io.controllermanager.testing.controlplane.ControlPlane} starts one and is closed like a file.
 * {@link io.controllermanager.testing.controlplane.Binaries} finds the programs, and builds them from their Go modules
 * the first time. Everything a plane makes lies in one directory, which a watchdog outside the JVM removes, processes
 * first, however the JVM ends.
 */
@NullMarked
package io.controllermanager.testing.controlplane;

import org.jspecify.annotations.NullMarked;
