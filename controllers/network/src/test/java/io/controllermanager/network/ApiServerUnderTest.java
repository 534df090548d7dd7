package io.controllermanager.network;

import io.controllermanager.testing.controlplane.ControlPlane;

/** What these tests need of an API server, so that they can run against another one too. */
interface ApiServerUnderTest {

    /** A kubeconfig whose user may do everything. */
    String kubeconfig();

    /** Makes a namespace that nobody else uses and returns its name. */
    String createNamespace();

    /** The real one. */
    static ApiServerUnderTest of(ControlPlane plane) {
        return new ApiServerUnderTest() {
            @Override
            public String kubeconfig() {
                return plane.kubeconfig();
            }

            @Override
            public String createNamespace() {
                return plane.createNamespace("network");
            }
        };
    }
}
