package io.controllermanager.apiserver.rest;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.storage.Key;
import io.controllermanager.apiserver.storage.StoredObject;

/** Lets claims go that no Pod uses, and volumes that are not bound (kube-controller-manager, pvcprotection and pvprotection). */
public record Protection(Commits commits) implements Commits.Follower {

    private static final String CLAIMS = "persistentvolumeclaims";

    @Override
    public void follow(StoredObject object, boolean deleted) {
        Key key = object.key();
        switch (key.resource()) {
            case CLAIMS -> release(object);
            case "persistentvolumes" -> {
                if (object.isBeingDeleted() && !Json.fits(object.tree(), "status/phase=Bound")) {
                    commits.drop(key, "kubernetes.io/pv-protection");
                }
            }
            case "pods" -> {
                if (deleted || isOver(object.tree())) {
                    commits.store().objects(CLAIMS, key.namespace()).forEach(this::release);
                }
            }
            default -> {}
        }
    }

    private void release(StoredObject claim) {
        if (claim.isBeingDeleted()
                && commits.store().objects("pods", claim.key().namespace()).stream()
                        .noneMatch(pod -> uses(pod.tree(), claim.key().name()))) {
            commits.drop(claim.key(), "kubernetes.io/pvc-protection");
        }
    }

    private static boolean uses(ObjectNode pod, String claim) {
        return !isOver(pod)
                && pod.at("/spec/volumes").findValuesAsText("claimName").contains(claim);
    }

    private static boolean isOver(ObjectNode pod) {
        return Json.fits(pod, "status/phase=Succeeded|Failed");
    }
}
