package io.controllermanager.foo;

import io.controllermanager.event.RequestMapper;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.models.V1Deployment;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The Foos whose Deployment's name another owner holds: a change of that Deployment concerns them, though they do not
 * own it. Upstream finds out by trying again and again.
 *
 * <p>A Foo must be put here before the store is read for the last time, or a change in between goes unseen. Safe for use
 * by several threads.
 */
final class WaitingFoos implements RequestMapper<V1Deployment> {

    private final Map<Request, Request> deploymentByFoo = new HashMap<>();
    private final Map<Request, Set<Request>> foosByDeployment = new HashMap<>();

    /** From now on a change of the Deployment concerns the Foo. */
    synchronized void add(Request foo, String deploymentName) {
        Request deployment = new Request(foo.getNamespace(), deploymentName);
        if (!deployment.equals(deploymentByFoo.get(foo))) {
            remove(foo);
            deploymentByFoo.put(foo, deployment);
            foosByDeployment.computeIfAbsent(deployment, key -> new HashSet<>()).add(foo);
        }
    }

    /** The Foo does not wait any more. */
    synchronized void remove(Request foo) {
        Request deployment = deploymentByFoo.remove(foo);
        if (deployment != null) {
            foosByDeployment.computeIfPresent(deployment, (key, foos) -> {
                foos.remove(foo);
                return foos.isEmpty() ? null : foos;
            });
        }
    }

    @Override
    public synchronized Set<Request> map(V1Deployment deployment) {
        Request key = new Request(
                deployment.getMetadata().getNamespace(),
                deployment.getMetadata().getName());
        return Set.copyOf(foosByDeployment.getOrDefault(key, Set.of()));
    }
}
