package io.controllermanager.client.internal.request;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import org.jspecify.annotations.Nullable;

/**
 * Compares resourceVersions of one type as KEP-5504 has it: digits without a leading zero, the larger number is newer.
 * Anything else cannot be compared, nor can what has more than 18 digits, which kube-apiserver never makes.
 */
public final class ResourceVersions {

    private ResourceVersions() {}

    /** The version as a number; -1 for one that cannot be compared. */
    public static long number(@Nullable String version) {
        if (version == null || version.isEmpty() || version.length() > 18 || version.charAt(0) == '0') {
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

    /** The newer one of two versions. */
    public static String later(String one, String other) {
        return number(one) < number(other) ? other : one;
    }

    /** As {@link #number(String)}, of an object's version. */
    public static long number(KubernetesObject object) {
        V1ObjectMeta metadata = object.getMetadata();
        return metadata == null ? -1 : number(metadata.getResourceVersion());
    }
}
