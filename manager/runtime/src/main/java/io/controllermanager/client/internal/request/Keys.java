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

    /** The key whose text it is. */
    public static Request parse(String text) {
        int slash = text.indexOf('/');
        return slash < 0 ? new Request(text) : new Request(text.substring(0, slash), text.substring(slash + 1));
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
