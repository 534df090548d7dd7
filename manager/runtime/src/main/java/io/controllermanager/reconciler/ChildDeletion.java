package io.controllermanager.reconciler;

import io.controllermanager.client.Propagation;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Deletes children: one, those that are wanted no more, or all that the garbage collector leaves.
 *
 * @param <O> the owners' class
 * @param link what shows on a child whose it is
 * @param types of all children
 * @param changed told of each child that it deletes
 */
record ChildDeletion<O extends KubernetesObject>(ChildLink link, List<OwnedType<?>> types, ChildChanges changed) {

    /**
     * Deletes a child. What bears its name and is not the owner's is left alone, and counts as gone.
     *
     * @param child by its type, name and namespace
     * @return whether it is gone. While the owner is being deleted that is the API server's word, else the cache's
     * @throws ApiException if the API server refuses it
     */
    <C extends KubernetesObject> boolean delete(O owner, OwnedType<C> type, C child, Propagation propagation)
            throws ApiException {
        String name = DesiredState.nameOf(child, owner);
        String namespace = DesiredState.namespaceOf(child, name, type.rules(), owner);
        C present = type.cached(namespace, name);
        if (present == null && owner.getMetadata().getDeletionTimestamp() != null) {
            present = type.client().get(namespace, name);
        }
        if (present == null) {
            return true;
        }
        ChildClaim claim = type.claim(link, owner, present);
        // The collector may have taken the owner reference away just now, under an orphaning deletion.
        boolean lost = claim == ChildClaim.ADOPTABLE && link.names(owner, present);
        return !(claim == ChildClaim.OURS || lost) || isGone(type, present, propagation);
    }

    /**
     * Deletes the children that the garbage collector does not, and that are not to stay.
     *
     * @return one that is not gone yet, for a message; null once there is none
     */
    @Nullable
    String tearDown(O owner) throws ApiException {
        String left = null;
        for (OwnedType<?> type : types) {
            if (type.isTornDown()) {
                String ofType = tearDown(owner, type);
                left = ofType == null ? left : ofType;
            }
        }
        return left;
    }

    private <C extends KubernetesObject> @Nullable String tearDown(O owner, OwnedType<C> type) throws ApiException {
        String left = null;
        for (C child : type.childrenOf(link, owner)) {
            if (!isGone(type, child, Propagation.BACKGROUND)) {
                V1ObjectMeta metadata = child.getMetadata();
                left = type.shown(metadata.getNamespace(), metadata.getName());
            }
        }
        return left;
    }

    /** Whether a child was gone already; it is deleted unless that has been done. An event tells of its end. */
    private <C extends KubernetesObject> boolean isGone(OwnedType<C> type, C child, Propagation propagation)
            throws ApiException {
        if (child.getMetadata().getDeletionTimestamp() != null) {
            return false;
        }
        changed.begin(child);
        boolean deleted = type.delete(child, propagation);
        if (deleted) {
            changed.done();
        }
        return !deleted;
    }

    /** Deletes the owner's children that this controller has applied, save those with these keys and those that are to stay. */
    void prune(O owner, Set<String> kept) throws ApiException {
        for (OwnedType<?> type : types) {
            if (type.rules().end() != ChildRules.End.RETAINED) {
                prune(owner, type, kept);
            }
        }
    }

    private <C extends KubernetesObject> void prune(O owner, OwnedType<C> type, Set<String> kept) throws ApiException {
        for (C child : type.childrenOf(link, owner)) {
            if (link.applied(child) && !kept.contains(Applier.key(type, owner, child))) {
                isGone(type, child, Propagation.BACKGROUND);
            }
        }
    }
}
