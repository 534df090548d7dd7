package io.controllermanager.informer;

import io.kubernetes.client.common.KubernetesObject;
import org.jspecify.annotations.Nullable;

/** Compares resourceVersions of one type, which are numbers (KEP-5504). */
final class ResourceVersions {

    private ResourceVersions() {}

    /** The version as a number; -1 for what is none. */
    static long number(@Nullable String version) {
        if (version == null || version.isEmpty() || version.length() > 18) {
            return -1;
        }
        long number = 0;
        for (int i = 0; i < version.length(); i++) {
            int digit = version.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            number = number * 10 + digit;
        }
        return number;
    }

    /** As {@link #number(String)}, of an object's version. */
    static long number(KubernetesObject object) {
        return number(object.getMetadata().getResourceVersion());
    }
}
