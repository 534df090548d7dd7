package io.controllermanager.apiserver.patch;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashSet;
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
        for (Manager manager : managed.managers()) {
            if (!shown.fields(manager.in(scaleVersion)).contains(IN_SCALE)) {
                Set<List<String>> left = new LinkedHashSet<>(managed.fields(manager));
                left.remove(replicas);
                managed.set(manager, left, managed.time(manager));
            }
        }
        for (Manager manager : shown.managers()) {
            Manager owner = manager.in(apiVersion);
            if (shown.fields(manager).contains(IN_SCALE)
                    && !managed.fields(owner).contains(replicas)) {
                Set<List<String>> more = new LinkedHashSet<>(managed.fields(owner));
                more.add(replicas);
                managed.set(owner, more, shown.time(manager));
            }
        }
        managed.writeTo(object);
    }
}
