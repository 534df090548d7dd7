package io.controllermanager.controller.internal;

import io.kubernetes.client.extended.controller.reconciler.Request;

/** How a key is shown to people. */
public final class Keys {

    private Keys() {}

    /** {@code namespace/name}, or just the name. */
    public static String shown(Request key) {
        return key.getNamespace() == null ? key.getName() : key.getNamespace() + "/" + key.getName();
    }
}
