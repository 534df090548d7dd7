package io.controllermanager.testing.apiserver.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.apiserver.http.StatusException;
import io.controllermanager.testing.apiserver.http.StatusException.Cause;
import io.controllermanager.testing.apiserver.json.Json;
import io.controllermanager.testing.apiserver.json.Meta;
import io.controllermanager.testing.apiserver.schema.Schema;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Server-side apply, and the bookkeeping of other writes that it needs (KEP-555, structured-merge-diff's merge/update.go).
 *
 * @param schema the object's
 * @param metadata of its metadata
 */
public record FieldOwnership(Schema schema, Schema metadata) {

    /**
     * Notes a write that was no apply: what it changed is the writer's from now on.
     *
     * @param before the state it replaces; an empty object for a creation
     * @param after the new state, in which {@code managedFields} is set
     */
    public void noteUpdate(ObjectNode before, ObjectNode after, Manager manager, String time) {
        boolean cleared = after.path("metadata").path("managedFields").isArray()
                && after.path("metadata").path("managedFields").path(0).isEmpty()
                && !before.isEmpty();
        ManagedFields managed = cleared ? new ManagedFields() : ManagedFields.of(before);
        Set<List<String>> present = FieldSet.of(after, schema, metadata).paths();
        Set<List<String>> changed = new LinkedHashSet<>();
        for (List<String> path : present) {
            JsonNode was = FieldSet.value(before, path);
            JsonNode is = FieldSet.value(after, path);
            boolean element = path.get(path.size() - 1).equals(".");
            if (was == null || (!element && !was.equals(is))) {
                changed.add(path);
            }
        }
        managed.takeFromOthers(changed, manager);
        for (Manager other : managed.managers()) {
            Set<List<String>> left = new LinkedHashSet<>(managed.fields(other));
            left.removeIf(path -> FieldSet.value(after, path) == null);
            managed.set(other, left, time);
        }
        Set<List<String>> mine = new LinkedHashSet<>(managed.fields(manager));
        mine.addAll(changed);
        managed.set(manager, mine, time);
        managed.writeTo(after);
    }

    /**
     * Refuses a configuration that does not fit its type.
     *
     * @throws StatusException 500, as the real server has it
     */
    public void check(ObjectNode configuration) {
        TypedPatch.check(configuration, schema, metadata);
    }

    /**
     * Applies a configuration.
     *
     * @param live the present state, which is not changed; an empty object if there is none
     * @throws StatusException 409 if other managers have set fields of the configuration otherwise
     */
    public ObjectNode apply(ObjectNode live, ObjectNode configuration, Manager manager, boolean force, String time) {
        ManagedFields managed = ManagedFields.of(live);
        Set<List<String>> wanted = FieldSet.of(configuration, schema, metadata).paths();
        Set<List<String>> differing = new LinkedHashSet<>();
        List<Cause> conflicts = new ArrayList<>();
        for (List<String> path : wanted) {
            boolean element = path.get(path.size() - 1).equals(".");
            JsonNode is = FieldSet.value(live, path);
            JsonNode wants = Objects.requireNonNull(FieldSet.value(configuration, path));
            // An empty map asks for nothing that a map with entries has not.
            boolean there = wants.isObject() && wants.isEmpty() && is != null && is.isObject();
            if (element || there || wants.equals(is)) {
                continue;
            }
            differing.add(path);
            for (Manager other : managed.managers()) {
                if (!other.equals(manager) && managed.fields(other).contains(path)) {
                    conflicts.add(new Cause("FieldManagerConflict", other.text(), FieldSet.text(path)));
                }
            }
        }
        if (!conflicts.isEmpty() && !force) {
            throw StatusException.applyConflict(conflicts);
        }
        managed.takeFromOthers(differing, manager);
        ObjectNode merged = live.deepCopy();
        merge(merged, configuration, schema, true);
        Set<List<String>> given = new LinkedHashSet<>(managed.fields(manager));
        given.removeAll(wanted);
        for (List<String> path : given) {
            if (!managed.isOwnedByOthers(path, manager)) {
                FieldSet.remove(merged, path);
            }
        }
        managed.set(manager, wanted, time);
        managed.writeTo(merged);
        return merged;
    }

    private void merge(ObjectNode into, ObjectNode configuration, Schema of, boolean root) {
        for (Map.Entry<String, JsonNode> field : configuration.properties()) {
            String name = field.getKey();
            Schema declared = root && name.equals("metadata") ? metadata : of.under(name);
            Schema under = declared == null ? Schema.ANY : declared;
            JsonNode value = field.getValue();
            if (root && name.equals("metadata") && value instanceof ObjectNode given) {
                ObjectNode mergeable = given.deepCopy();
                mergeable.remove(List.of("resourceVersion", "uid", "managedFields", "creationTimestamp"));
                merge(Meta.of(into), mergeable, metadata, false);
            } else if (value instanceof ObjectNode map
                    && into.get(name) instanceof ObjectNode
                    && !under.isAtomicMap()) {
                merge(Json.child(into, name), map, under, false);
            } else if (value instanceof ArrayNode list && into.get(name) instanceof ArrayNode present) {
                into.set(name, merge(present, list, under));
            } else {
                into.set(name, value.deepCopy());
            }
        }
    }

    private ArrayNode merge(ArrayNode present, ArrayNode list, Schema of) {
        ArrayNode merged = present.deepCopy();
        if (of.isSet()) {
            Set<JsonNode> values = new LinkedHashSet<>();
            present.forEach(values::add);
            list.forEach(values::add);
            return Json.array().addAll(values);
        }
        if (of.mapKeys().isEmpty()) {
            return list.deepCopy();
        }
        for (JsonNode item : list) {
            JsonNode same = FieldSet.value(merged, List.of(FieldSet.key(item, of)));
            if (same instanceof ObjectNode old && item instanceof ObjectNode update) {
                merge(old, update, of.items(), false);
            } else {
                merged.add(item.deepCopy());
            }
        }
        return merged;
    }
}
