package com.example.website;

import io.controllermanager.client.ApiJson;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.controller.ControllerContext;
import io.controllermanager.informer.Selection;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.informer.cache.Lister;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The children of one type. */
final class OwnedObjects<T extends KubernetesObject> {

    private final Lister<T> cache;
    private final ResourceClient<T> client;

    OwnedObjects(ControllerContext context, Selection<T> selection) {
        cache = context.informer(selection).lister();
        client = new ResourceClient<>(context.apiClient(), selection.type());
    }

    /** Whether the name is free for this Website or has been taken by it. Asks the API server before the first write. */
    boolean mayHave(Website website) throws ApiException {
        T present = cache.namespace(website.namespace()).get(website.name());
        if (present == null) {
            present = client.get(website.namespace(), website.name());
        }
        return present == null || isOwnedBy(present, website);
    }

    /** Makes the object or brings it back to what is wanted. Where nothing differs, the API server writes nothing. */
    T apply(T wanted) throws ApiException {
        String json = new String(ApiJson.write(wanted), StandardCharsets.UTF_8);
        return client.patch(
                wanted.getMetadata().getNamespace(),
                wanted.getMetadata().getName(),
                new Patch.Apply(json, Children.OPERATOR, true));
    }

    private static boolean isOwnedBy(KubernetesObject object, Website website) {
        List<V1OwnerReference> owners = object.getMetadata().getOwnerReferences();
        return owners != null
                && owners.stream()
                        .anyMatch(owner ->
                                owner.getUid().equals(website.metadata().getUid()));
    }
}
