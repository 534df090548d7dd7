/**
 * What a Kubernetes API server does, as the API concepts and conventions have it. Every case runs against the embedded
 * server and against a real kube-apiserver; where the two differ on purpose, {@link
 * io.controllermanager.testing.bothservers.contract.Difference} names it.
 */
@NullMarked
package io.controllermanager.testing.bothservers.contract;

import org.jspecify.annotations.NullMarked;
