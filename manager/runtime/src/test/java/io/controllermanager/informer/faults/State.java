package io.controllermanager.informer.faults;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.util.Map;

/** By what one state of an object differs from all others. */
record State(long version, String uid, int data) {

    static State of(V1ConfigMap object) {
        Map<String, String> data = object.getData();
        return new State(
                version(object), String.valueOf(object.getMetadata().getUid()), data == null ? 0 : data.hashCode());
    }

    static long version(V1ConfigMap object) {
        return Long.parseLong(String.valueOf(object.getMetadata().getResourceVersion()));
    }
}
