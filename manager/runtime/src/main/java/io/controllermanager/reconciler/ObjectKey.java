package io.controllermanager.reconciler;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

/** The key that an object has in a queue. */
final class ObjectKey {

    private ObjectKey() {}

    static Request of(KubernetesObject object) {
        V1ObjectMeta metadata = object.getMetadata();
        return new Request(metadata.getNamespace(), metadata.getName());
    }
}
