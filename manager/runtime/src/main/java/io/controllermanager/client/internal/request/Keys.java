package io.controllermanager.client.internal.request;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Request;
import org.jspecify.annotations.Nullable;

/** The key of an object, and its text: {@code namespace/name}, or just the name of what lives in no namespace. */
public final class Keys {

    private Keys() {}

    /** The key that an object has in a queue. */
    public static Request of(KubernetesObject object) {
        return new Request(
                object.getMetadata().getNamespace(), object.getMetadata().getName());
    }

    /** The text of a key. */
    public static String shown(Request key) {
        return shown(key.getNamespace(), key.getName());
    }

    /** The text of the key of that name. */
    public static String shown(@Nullable String namespace, String name) {
        return namespace == null ? name : namespace + "/" + name;
    }
}
