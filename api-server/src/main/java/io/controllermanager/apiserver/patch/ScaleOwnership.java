package io.controllermanager.apiserver.patch;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.Sets;
import java.util.List;
import java.util.Set;

/**
 * Who manages an object's replicas, and so those of its Scale (apimachinery, util/managedfields/scalehandler.go).
 *
 * @param replicas where they are in the object
 * @param apiVersion the object's
 * @param scaleVersion the Scale's
 */
public record ScaleOwnership(List<String> replicas, String apiVersion, String scaleVersion) {

    private static final List<String> IN_SCALE = List.of("f:spec", "f:replicas");

    /** Reads a path such as {@code .spec.replicas}. */
    public static ScaleOwnership of(String replicas, String apiVersion, String scaleVersion) {
        return new ScaleOwnership(FieldSet.path(replicas), apiVersion, scaleVersion);
    }

    /** Notes in a Scale what its object says. */
    public void show(ObjectNode object, ObjectNode scale) {
        ManagedFields managed = ManagedFields.of(object);
        ManagedFields shown = new ManagedFields();
        for (Manager manager : managed.managers()) {
            if (managed.fields(manager).contains(replicas)) {
                shown.set(manager.in(scaleVersion), Set.of(IN_SCALE), managed.time(manager));
            }
        }
        shown.writeTo(scale);
    }

    /** Notes in an object what its Scale says. */
    public void take(ObjectNode scale, ObjectNode object) {
        ManagedFields managed = ManagedFields.of(object);
        ManagedFields shown = ManagedFields.of(scale);
        managed.retain((manager, field) -> !field.equals(replicas)
                || shown.fields(manager.in(scaleVersion)).contains(IN_SCALE));
        for (Manager manager : shown.managers()) {
            Manager owner = manager.in(apiVersion);
            if (shown.fields(manager).contains(IN_SCALE)
                    && !managed.fields(owner).contains(replicas)) {
                managed.set(owner, Sets.union(managed.fields(owner), Set.of(replicas)), shown.time(manager));
            }
        }
        managed.writeTo(object);
    }
}
