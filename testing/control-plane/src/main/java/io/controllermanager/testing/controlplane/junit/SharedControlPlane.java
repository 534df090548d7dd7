package io.controllermanager.testing.controlplane.junit;

import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.Controllers;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * The one control plane of a test run. Its housekeeper collects garbage, empties namespaces and gives them service
 * accounts; no other controllers run. Whoever makes an object that blocks its owner's deletion must be allowed to set that
 * one's finalizers, as in OpenShift. Secrets are not cached in the API server, so that a compaction of etcd shows there.
 */
public final class SharedControlPlane {

    private static final Namespace NAMESPACE = Namespace.create(SharedControlPlane.class);

    private SharedControlPlane() {}

    /** Returns the plane, which is started when first asked for and closed when the test run ends. Safe for any thread. */
    public static ControlPlane of(ExtensionContext context) {
        return context.getRoot()
                .getStore(NAMESPACE)
                .computeIfAbsent(ControlPlane.class, key -> start(), ControlPlane.class);
    }

    private static ControlPlane start() {
        return ControlPlane.builder()
                .apiServerFlag("watch-cache-sizes", "secrets#0")
                .apiServerFlag("enable-admission-plugins", "OwnerReferencesPermissionEnforcement")
                .controllers(Controllers.HOUSEKEEPER)
                .start();
    }
}
