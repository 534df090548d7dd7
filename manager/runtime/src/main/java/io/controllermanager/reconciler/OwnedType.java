package io.controllermanager.reconciler;

import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.internal.connection.StorageHistory;
import io.controllermanager.client.internal.request.Keys;
import io.controllermanager.controller.ControllerContext;
import io.controllermanager.informer.Indexers;
import io.controllermanager.informer.Informer;
import io.controllermanager.informer.Selection;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.informer.cache.Lister;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesObject;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Children of one type: their cache and the way to write them.
 *
 * @param <C> the children's class
 */
final class OwnedType<C extends KubernetesObject> {

    private static final String BY_OWNER = "controller-manager/owner";

    /** A group without a dot can be no CRD's. Those with one are listed, as CRDs have groups that end with k8s.io too. */
    private static final Pattern BUILT_IN = Pattern.compile(
            "[^.]*|(admissionregistration|apiextensions|apiregistration"
                    + "|authentication|(rbac\\.)?authorization|certificates|coordination|discovery|events"
                    + "|(flowcontrol|internal)\\.apiserver|networking|node|resource|scheduling|storage|storagemigration)\\.k8s\\.io");

    private final Selection<C> selection;
    private final Informer<C> informer;
    private final Lister<C> lister;
    private final ResourceClient<C> client;
    private final ApiClient apiClient;

    OwnedType(ControllerContext context, Selection<C> selection) {
        this.selection = selection;
        this.informer = context.informer(selection);
        this.lister = informer.lister();
        this.apiClient = context.apiClient();
        this.client = new ResourceClient<>(apiClient, selection.type());
        informer.addIndexers(Map.of(BY_OWNER, Indexers.ownerUids()));
    }

    ResourceType<C> type() {
        return selection.type();
    }

    ResourceClient<C> client() {
        return client;
    }

    /** How often storage has been found to be put back. */
    long restores() {
        return StorageHistory.restores(apiClient);
    }

    boolean isBuiltIn() {
        return isBuiltIn(type());
    }

    /** Whether a type is one of Kubernetes' own, whatever its class. */
    static boolean isBuiltIn(ResourceType<?> type) {
        return BUILT_IN.matcher(type.group()).matches();
    }

    /**
     * Whether the object's class and, where several types have that, its apiVersion and kind are the type's.
     *
     * @throws IllegalArgumentException if it has no class of its own, and does not say what it is
     */
    boolean isOf(KubernetesObject object) {
        if (object instanceof DynamicKubernetesObject dynamic
                && !dynamic.getRaw().keySet().containsAll(Set.of("apiVersion", "kind"))) {
            throw new IllegalArgumentException("a DynamicKubernetesObject must have apiVersion and kind");
        }
        return type().objectClass().isInstance(object)
                && (object.getKind() == null || object.getKind().equals(type().kind()))
                && (object.getApiVersion() == null || object.getApiVersion().equals(type().apiVersion()));
    }

    @Nullable
    C cached(@Nullable String namespace, String name) {
        return lister.get(Keys.shown(namespace, name));
    }

    List<C> ownedBy(KubernetesObject owner) {
        return informer
                .snapshot()
                .byIndex(BY_OWNER, String.valueOf(owner.getMetadata().getUid()))
                .stream()
                .filter(child -> OwnerLink.isControlledBy(child, owner))
                .toList();
    }

    void delete(C child) throws ApiException {
        client.delete(
                child.getMetadata().getNamespace(),
                child.getMetadata().getName(),
                child.getMetadata().getUid());
    }

    @Override
    public String toString() {
        return selection.toString();
    }
}
