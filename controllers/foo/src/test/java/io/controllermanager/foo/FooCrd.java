package io.controllermanager.foo;

import io.controllermanager.testing.bothservers.OnBothServers.WhereRealServer;
import io.controllermanager.testing.controllers.Manifest;

/** The CRDs for Foo that a cluster may have. */
enum FooCrd {
    /** The one that this repository ships. */
    OWN,
    /** Sample-controller's one without a status subresource. */
    @WhereRealServer
    UPSTREAM,
    /** Sample-controller's one with a status subresource. */
    @WhereRealServer
    UPSTREAM_STATUS;

    Manifest manifest() {
        return switch (this) {
            case OWN -> Manifest.ofConfig("crd/bases/samplecontroller.k8s.io_foos.yaml");
            case UPSTREAM -> Manifest.ofSampleController("crd.yaml");
            case UPSTREAM_STATUS -> Manifest.ofSampleController("crd-status-subresource.yaml");
        };
    }

    /** The example that comes with it. */
    Manifest example() {
        return this == OWN
                ? Manifest.ofConfig("samples/samplecontroller_v1alpha1_foo.yaml")
                : Manifest.ofSampleController("example-foo.yaml");
    }
}
