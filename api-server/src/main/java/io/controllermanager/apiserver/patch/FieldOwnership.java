package io.controllermanager.apiserver.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.http.StatusException;
import io.controllermanager.apiserver.http.StatusException.Cause;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.json.Meta;
import io.controllermanager.apiserver.schema.Schema;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Server-side apply, and the bookkeeping of other writes that it needs (KEP-555, structured-merge-diff's merge/update.go).
 *
 * @param schema the object's
 * @param kept paths under which a write leaves everything as it was, and so gives nobody anything
 * @param views shows an object in another version, by its name; null for the object where there is no such version. Itself null
 *     where fields are called the same in all versions
 */
public record FieldOwnership(
        Schema schema, List<String> kept, @Nullable Views views) {

    /** Shows an object in another version. */
    @FunctionalInterface
    public interface Views {

        @Nullable
        ObjectNode in(ObjectNode object, String apiVersion);
    }

    /**
     * What a change leaves alone, as those see it who have written in other versions; by these. Where there is no such version any
     * more, that is nothing.
     */
    private Map<String, Predicate<List<String>>> leftAlone(
            ManagedFields managed, String own, ObjectNode before, ObjectNode after) {
        Map<String, Predicate<List<String>>> leftAlone = new HashMap<>();
        if (views == null || before.isEmpty()) {
            return leftAlone;
        }
        managed.managers().stream()
                .map(Manager::apiVersion)
                .filter(version -> !version.equals(own))
                .distinct()
                .forEach(version -> {
                    ObjectNode was = views.in(before, version);
                    ObjectNode is = views.in(after, version);
                    leftAlone.put(version, field -> was != null && is != null && same(field, was, is));
                });
        return leftAlone;
    }

    private static boolean same(List<String> field, ObjectNode was, ObjectNode is) {
        JsonNode before = FieldSet.value(was, field);
        JsonNode after = FieldSet.value(is, field);
        boolean element = field.get(field.size() - 1).equals(".");
        return element ? (before == null) == (after == null) : Objects.equals(before, after);
    }

    private Set<List<String>> fields(ObjectNode object) {
        Set<List<String>> fields = FieldSet.of(object, schema).paths();
        List<List<String>> others = kept.stream().map(FieldSet::path).toList();
        fields.removeIf(field -> others.stream()
                .anyMatch(path -> field.size() >= path.size()
                        && field.subList(0, path.size()).equals(path)));
        return fields;
    }

    /**
     * Notes a write that was no apply: what it changed is the writer's from now on.
     *
     * @param before the state it replaces; an empty object for a creation
     * @param after the new state, in which {@code managedFields} is set
     * @param sent the client's {@code managedFields}, which count in a write of the object itself; null if it sent none
     */
    public void noteUpdate(ObjectNode before, ObjectNode after, @Nullable JsonNode sent, Manager manager, String time) {
        ManagedFields managed = ManagedFields.of(before, manager.subresource().isEmpty() ? sent : null);
        // Where all entries were taken away, only an apply begins anew.
        if (before.isEmpty() || !managed.isEmpty()) {
            Set<List<String>> changed = fields(after);
            changed.removeIf(field -> FieldSet.value(before, field) != null && same(field, before, after));
            Predicate<List<String>> kept = field -> !changed.contains(field)
                    && (FieldSet.value(after, field) != null || FieldSet.value(before, field) == null);
            Map<String, Predicate<List<String>>> elsewhere = leftAlone(managed, manager.apiVersion(), before, after);
            managed.retain((other, field) ->
                    elsewhere.getOrDefault(other.apiVersion(), kept).test(field));
            if (!changed.isEmpty()) {
                changed.addAll(managed.fields(manager));
                managed.set(manager, changed, time);
            }
        }
        managed.writeTo(after);
    }

    /** Whether two states differ in nothing but when their managers changed a field last, which is no change. */
    public static boolean differInTimesAtMost(ObjectNode before, ObjectNode after) {
        return before.equals(after) || timeless(before).equals(timeless(after));
    }

    private static ObjectNode timeless(ObjectNode object) {
        ObjectNode copy = object.deepCopy();
        copy.path("metadata").path("managedFields").forEach(entry -> ((ObjectNode) entry).remove("time"));
        return copy;
    }

    /** Refuses a configuration that does not fit its type, with 500, as the real server has it. */
    public void check(ObjectNode configuration) {
        TypedPatch.check(configuration, schema);
    }

    /**
     * Applies a configuration.
     *
     * @param live the present state, which is not changed; an empty object if there is none
     * @throws StatusException 409 if other managers have set fields of the configuration otherwise
     */
    public ObjectNode apply(ObjectNode live, ObjectNode configuration, Manager manager, boolean force, String time) {
        ManagedFields managed = ManagedFields.of(live);
        if (managed.isEmpty()) {
            managed.set(manager.beforeFirstApply(), fields(live), time);
        }
        Set<List<String>> wanted = fields(configuration);
        String timeBefore = managed.time(manager);
        boolean kubectl = manager.name().equals(LastApplied.MANAGER);
        Set<List<String>> freelyTaken = kubectl ? lastApplied(live) : Set.of();
        ObjectNode merged = live.deepCopy();
        merge(merged, configuration);
        Map<String, Predicate<List<String>>> elsewhere = leftAlone(managed, manager.apiVersion(), live, merged);
        Set<List<String>> differing = new LinkedHashSet<>();
        List<Cause> conflicts = new ArrayList<>();
        for (List<String> path : FieldSet.sorted(wanted)) {
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
                boolean has = managed.fields(other).contains(path) && !elsewhere.containsKey(other.apiVersion());
                if (!other.equals(manager) && has && !freelyTaken.contains(path)) {
                    conflicts.add(new Cause("FieldManagerConflict", other.text(), FieldSet.text(path)));
                }
            }
        }
        for (Manager other : managed.managers()) {
            Predicate<List<String>> leaves = elsewhere.get(other.apiVersion());
            if (leaves != null && !other.equals(manager)) {
                FieldSet.sorted(managed.fields(other)).stream()
                        .filter(leaves.negate())
                        .forEach(path ->
                                conflicts.add(new Cause("FieldManagerConflict", other.text(), FieldSet.text(path))));
            }
        }
        if (!conflicts.isEmpty() && !force) {
            throw StatusException.applyConflict(conflicts);
        }
        managed.retain((other, path) -> elsewhere
                .getOrDefault(other.apiVersion(), field -> !differing.contains(field))
                .test(path));
        merged = withoutDropped(merged, configuration, managed, manager, wanted);
        managed.set(manager, wanted, merged.equals(live) ? timeBefore : time);
        if (kubectl) {
            LastApplied.refresh(merged, configuration);
        }
        managed.writeTo(merged);
        return merged;
    }

    /** Takes away what a manager has applied before and does no more; what it has applied in another version, as seen there. */
    private ObjectNode withoutDropped(
            ObjectNode merged,
            ObjectNode configuration,
            ManagedFields managed,
            Manager manager,
            Set<List<String>> wanted) {
        String version = managed.version(manager);
        Views others = version.isEmpty() || version.equals(manager.apiVersion()) ? null : views;
        ObjectNode seen = others == null ? merged : others.in(merged, version);
        if (seen == null) {
            return merged;
        }
        for (List<String> path : managed.fields(manager)) {
            if (!(others == null && wanted.contains(path)) && !managed.isOwnedByOthers(path, manager)) {
                FieldSet.remove(seen, path);
            }
        }
        if (others == null) {
            return merged;
        }
        ObjectNode back = Objects.requireNonNull(others.in(seen, manager.apiVersion()));
        merge(back, configuration);
        return back;
    }

    /** What kubectl applied last from the client and nobody has changed since. */
    private Set<List<String>> lastApplied(ObjectNode live) {
        ObjectNode last = LastApplied.of(live);
        if (last == null) {
            return Set.of();
        }
        Set<List<String>> fields = fields(last);
        fields.removeIf(field -> !Objects.equals(FieldSet.value(last, field), FieldSet.value(live, field)));
        return fields;
    }

    private void merge(ObjectNode into, ObjectNode configuration) {
        ObjectNode mergeable = configuration.deepCopy();
        Meta.of(mergeable).remove(List.of("resourceVersion", "uid", "managedFields", "creationTimestamp"));
        merge(into, mergeable, schema);
    }

    private static void merge(ObjectNode into, ObjectNode configuration, Schema of) {
        for (Map.Entry<String, JsonNode> field : configuration.properties()) {
            String name = field.getKey();
            Schema under = of.at(name);
            JsonNode value = field.getValue();
            if (value instanceof ObjectNode map && into.get(name) instanceof ObjectNode && !under.isAtomicMap()) {
                merge(Json.child(into, name), map, under);
            } else if (value instanceof ArrayNode list && into.get(name) instanceof ArrayNode present) {
                into.set(name, merge(present, list, under));
            } else {
                into.set(name, value.deepCopy());
            }
        }
    }

    private static ArrayNode merge(ArrayNode present, ArrayNode list, Schema of) {
        ArrayNode merged = present.deepCopy();
        if (of.isSet()) {
            return StrategicMergePatch.union(present, list);
        }
        if (of.mapKeys().isEmpty()) {
            return list.deepCopy();
        }
        for (JsonNode item : list) {
            JsonNode same = FieldSet.value(merged, List.of(FieldSet.key(item, of)));
            if (same instanceof ObjectNode old && item instanceof ObjectNode update) {
                merge(old, update, of.items());
            } else {
                merged.add(item.deepCopy());
            }
        }
        return merged;
    }
}
