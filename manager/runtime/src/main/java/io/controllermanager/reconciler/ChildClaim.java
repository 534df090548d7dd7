package io.controllermanager.reconciler;

import io.kubernetes.client.common.KubernetesObject;

/** What an object is to an owner that wants a child of its name. A decision without state. */
enum ChildClaim {
    /** Its child. */
    OURS,
    /** Not its child yet, but made for it or given to it: it has lost its owner, as after a restore. */
    ADOPTABLE,
    /** It has outlived another owner of the same name, and nobody has said that this one may have it. */
    RETAINED,
    /** Somebody else's. */
    TAKEN;

    static ChildClaim of(ChildRules<?> rules, ChildLink link, KubernetesObject owner, KubernetesObject object) {
        if (OwnerLink.isControlledBy(object, owner)) {
            return OURS;
        }
        if (OwnerLink.controllerOf(object) != null) {
            return TAKEN;
        }
        boolean linked = rules.linked(link.ownerType());
        boolean given = rules.adopts() != null && rules.adopts().test(object);
        boolean shows = link.names(owner, object) && (linked || (rules.adopts() != null && link.hasLabels(object)));
        if (!shows) {
            return given ? ADOPTABLE : TAKEN;
        }
        if (rules.end() == ChildRules.End.RETAINED && !link.namesUid(owner, object)) {
            return given ? ADOPTABLE : RETAINED;
        }
        return linked ? OURS : ADOPTABLE;
    }
}
