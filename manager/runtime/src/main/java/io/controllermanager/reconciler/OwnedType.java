package io.controllermanager.reconciler;

import io.controllermanager.client.Propagation;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.internal.connection.StorageHistory;
import io.controllermanager.client.internal.request.Keys;
import io.controllermanager.controller.ControllerContext;
import io.controllermanager.informer.Indexers;
import io.controllermanager.informer.Informer;
import io.controllermanager.informer.StoreSnapshot;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.informer.cache.Lister;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesObject;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Children of one type: their cache and the way to write them.
 *
 * @param <C> the children's class
 */
final class OwnedType<C extends KubernetesObject> {

    private static final String BY_OWNER = "controller-manager/owner";
    private static final String BY_LINK = "controller-manager/link";

    /** A group without a dot can be no CRD's. Those with one are listed, as CRDs have groups that end with k8s.io too. */
    private static final Pattern BUILT_IN = Pattern.compile(
            "[^.]*|(admissionregistration|apiextensions|apiregistration"
                    + "|authentication|(rbac\\.)?authorization|certificates|coordination|discovery|events"
                    + "|(flowcontrol|internal)\\.apiserver|networking|node|resource|scheduling|storage|storagemigration)\\.k8s\\.io");

    private final ChildRules<C> rules;
    private final ResourceType<?> ownerType;
    private final Informer<C> informer;
    private final Lister<C> lister;
    private final ResourceClient<C> client;
    private final ApiClient apiClient;

    OwnedType(ControllerContext context, ChildRules<C> rules, ResourceType<?> ownerType) {
        this.rules = rules;
        this.ownerType = ownerType;
        this.informer = context.informer(rules.selection());
        this.lister = informer.lister();
        this.apiClient = context.apiClient();
        this.client = new ResourceClient<>(apiClient, rules.type());
        informer.addIndexers(Map.of(BY_OWNER, Indexers.ownerUids()));
        if (isLinked()) {
            informer.addIndexers(Map.of(BY_LINK, ChildLink::linkedTo));
        }
    }

    ResourceType<C> type() {
        return rules.type();
    }

    ChildRules<C> rules() {
        return rules;
    }

    /** Whether no owner reference ties them to their owner. */
    boolean isLinked() {
        return rules.linked(ownerType);
    }

    /** Whether the controller's finalizer has to see to their end. */
    boolean isTornDown() {
        return rules.tornDown(ownerType);
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

    /** The owner's children, in any order. */
    List<C> childrenOf(ChildLink link, KubernetesObject owner) {
        StoreSnapshot<C> snapshot = informer.snapshot();
        List<C> found =
                snapshot.byIndex(BY_OWNER, String.valueOf(owner.getMetadata().getUid()));
        if (isLinked()) {
            found = Stream.concat(found.stream(), snapshot.byIndex(BY_LINK, link.indexed(owner)).stream())
                    .distinct()
                    .toList();
        }
        return found.stream()
                .filter(child -> claim(link, owner, child) == ChildClaim.OURS && isWithin(owner, child))
                .toList();
    }

    /** What an object is to an owner that wants a child of its name. */
    ChildClaim claim(ChildLink link, KubernetesObject owner, KubernetesObject object) {
        return ChildClaim.of(rules, link, owner, object);
    }

    /** Whether an object that is found by its label lives where the owner may have children. */
    private boolean isWithin(KubernetesObject owner, C child) {
        String namespace = child.getMetadata().getNamespace();
        Set<String> others = rules.namespaces();
        return !isLinked()
                || namespace == null
                || namespace.equals(owner.getMetadata().getNamespace())
                || owner.getMetadata().getNamespace() == null
                || (others != null && (others.isEmpty() || others.contains(namespace)));
    }

    /** Deletes a child; false if it was gone already. */
    boolean delete(C child, Propagation propagation) throws ApiException {
        V1ObjectMeta metadata = child.getMetadata();
        return client.delete(metadata.getNamespace(), metadata.getName(), metadata.getUid(), propagation);
    }

    /** One of that name, for a message. */
    String shown(@Nullable String namespace, String name) {
        return type().kind() + " " + Keys.shown(namespace, name);
    }

    @Override
    public String toString() {
        return rules.selection().toString();
    }
}
