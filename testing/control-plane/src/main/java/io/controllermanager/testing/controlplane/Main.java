package io.controllermanager.testing.controlplane;

import java.util.concurrent.CountDownLatch;

/** A whole control plane to play with: runs until it is told to end, by Ctrl-C for instance. */
public final class Main {

    private Main() {}

    /** Starts the plane, with one node that kwok plays, and waits. There are no arguments. */
    public static void main(String[] arguments) throws InterruptedException {
        ControlPlane plane;
        try {
            plane = ControlPlane.builder()
                    .controllers(Controllers.ALL)
                    .scheduler(true)
                    .kwokNodes(1)
                    .start();
        } catch (ControlPlaneException e) {
            System.err.println(e.getMessage());
            System.exit(1);
            return;
        }
        // The shell's prompt comes back when all is gone, not before.
        Runtime.getRuntime().addShutdownHook(new Thread(plane::close, "control-plane-shutdown"));
        System.out.printf(
                "Kubernetes %s is ready at %s. In another terminal:%n%n"
                        + "  export KUBECONFIG=%s%n"
                        + "  kubectl get nodes%n%n"
                        + "Ctrl-C ends it and removes %s.%n",
                plane.version(), plane.apiServerUrl(), plane.kubeconfigFile(), plane.dataDir());
        new CountDownLatch(1).await();
    }
}
