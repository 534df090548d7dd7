package io.controllermanager.reconciler;

import com.google.gson.JsonObject;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.internal.json.ApiJson;
import io.controllermanager.client.internal.request.Keys;
import io.controllermanager.client.internal.request.MetadataPatch;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import java.util.Map;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes sure that objects are an owner's children, and makes those its children that have lost their owner.
 *
 * @param <O> the owners' class
 * @param link what shows on a child whose it is
 * @param owners reads owners from the API server
 * @param changed told of each child that it has changed
 */
record ChildOwnership<O extends KubernetesObject>(ChildLink link, ResourceClient<O> owners, ChildChanges changed) {

    private static final Logger log = LoggerFactory.getLogger(ChildOwnership.class);

    /** One that is the owner's child already. */
    <C extends KubernetesObject> C checked(O owner, OwnedType<C> type, C present) {
        ChildClaim claim = type.claim(link, owner, present);
        if (claim == ChildClaim.OURS || claim == ChildClaim.ADOPTABLE) {
            return present;
        }
        V1ObjectMeta metadata = present.getMetadata();
        V1OwnerReference other = OwnerLink.controllerOf(present);
        String why;
        if (claim == ChildClaim.RETAINED) {
            why = " has outlived a former " + link.ownerType().kind() + " of this name: it is taken over if the"
                    + " controller's description says adopts(...)";
        } else if (other != null) {
            why = " belongs to " + other.getKind() + " " + other.getName();
        } else {
            String maker = link.shownOwnerOf(present);
            why = maker == null ? " exists already and has no controller" : " was made for " + maker;
        }
        throw new NameTakenException(
                type.shown(metadata.getNamespace(), metadata.getName()) + why,
                type,
                metadata.getNamespace(),
                metadata.getName());
    }

    /** The same, ready to be applied to: an apply takes away only those owner references that an apply has set. */
    <C extends KubernetesObject> C untied(O owner, OwnedType<C> type, C present) throws ApiException {
        C child = checked(owner, type, present);
        if (type.claim(link, owner, child) == ChildClaim.ADOPTABLE) {
            admit(owner, type, child);
        }
        return type.isLinked() && OwnerLink.isOwnedBy(child, owner) ? patch(owner, type, child, Map.of()) : child;
    }

    /** The same, made the owner's where it is not yet, for a child that is not applied. */
    <C extends KubernetesObject> C settled(O owner, OwnedType<C> type, C present) throws ApiException {
        C child = checked(owner, type, present);
        boolean ours = type.claim(link, owner, child) == ChildClaim.OURS;
        boolean tied = type.isLinked() ? !OwnerLink.isOwnedBy(child, owner) : OwnerLink.isControlledBy(child, owner);
        if (ours && tied) {
            return child;
        }
        admit(owner, type, child);
        String value = link.valueOnAdoption(owner, child, type.rules().end());
        return patch(
                owner,
                type,
                child,
                Map.of("labels", link.labelsOf(owner, type.rules()), "annotations", Map.of(link.annotation(), value)));
    }

    /** Changes the metadata of the object that was looked at, or meets a conflict. */
    private <C extends KubernetesObject> C patch(O owner, OwnedType<C> type, C child, Map<String, Object> others)
            throws ApiException {
        V1ObjectMeta metadata = child.getMetadata();
        JsonObject change = ApiJson.tree(others).getAsJsonObject();
        change.add(
                "ownerReferences",
                OwnerLink.owners(
                        ApiJson.tree(metadata).getAsJsonObject().get("ownerReferences"),
                        owner,
                        type.rules(),
                        link.ownerType()));
        C changedChild =
                type.client().patch(metadata.getNamespace(), metadata.getName(), MetadataPatch.of(metadata, change));
        changed.done();
        return changedChild;
    }

    /**
     * Lets an owner that lives adopt a child. The child may have lost it just because the owner is deleted without its dependents,
     * of which the owner's cache may not know yet; as client-go's {@code RecheckDeletionTimestamp}.
     */
    private void admit(O owner, OwnedType<?> type, KubernetesObject child) throws ApiException {
        V1ObjectMeta metadata = owner.getMetadata();
        O current = owners.get(metadata.getNamespace(), metadata.getName());
        if (current == null
                || !Objects.equals(current.getMetadata().getUid(), metadata.getUid())
                || current.getMetadata().getDeletionTimestamp() != null) {
            throw new ApiException(409, "it is being deleted meanwhile");
        }
        String shown = type.shown(
                child.getMetadata().getNamespace(), child.getMetadata().getName());
        log.atInfo().log("{} becomes a child of {} {}", shown, link.ownerType().kind(), Keys.shown(Keys.of(owner)));
    }
}
