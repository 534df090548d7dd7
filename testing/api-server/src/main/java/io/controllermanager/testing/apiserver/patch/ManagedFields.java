package io.controllermanager.testing.apiserver.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.apiserver.json.Json;
import io.controllermanager.testing.apiserver.json.Meta;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** An object's {@code managedFields}: who set which of its fields. */
final class ManagedFields {

    private record Entry(FieldSet fields, String time) {}

    private final Map<Manager, Entry> entries = new LinkedHashMap<>();

    static ManagedFields of(ObjectNode object) {
        ManagedFields managed = new ManagedFields();
        for (JsonNode entry : object.path("metadata").path("managedFields")) {
            Manager manager = new Manager(
                    entry.path("manager").asText(),
                    entry.path("operation").asText().equals("Apply"),
                    entry.path("apiVersion").asText(),
                    entry.path("subresource").asText(""));
            managed.entries.put(
                    manager,
                    new Entry(
                            FieldSet.read(entry.path("fieldsV1")),
                            entry.path("time").asText()));
        }
        return managed;
    }

    Set<Manager> managers() {
        return Set.copyOf(entries.keySet());
    }

    Set<List<String>> fields(Manager manager) {
        Entry entry = entries.get(manager);
        return entry == null ? Set.of() : entry.fields().paths();
    }

    /** Gives a manager exactly these fields; none at all takes it off the list. */
    void set(Manager manager, Set<List<String>> fields, String time) {
        Entry entry = entries.get(manager);
        if (fields.isEmpty()) {
            entries.remove(manager);
        } else if (entry == null || !entry.fields().paths().equals(fields)) {
            entries.put(manager, new Entry(new FieldSet(new LinkedHashSet<>(fields)), time));
        }
    }

    /** Whether anyone but this manager has the field. */
    boolean isOwnedByOthers(List<String> field, Manager manager) {
        return entries.entrySet().stream()
                .anyMatch(entry -> !entry.getKey().equals(manager)
                        && entry.getValue().fields().paths().contains(field));
    }

    /** Takes fields away from all but one manager. */
    void takeFromOthers(Set<List<String>> fields, Manager manager) {
        for (Manager other : managers()) {
            if (!other.equals(manager)) {
                Entry entry = Objects.requireNonNull(entries.get(other));
                Set<List<String>> left = new LinkedHashSet<>(entry.fields().paths());
                left.removeAll(fields);
                set(other, left, entry.time());
            }
        }
    }

    void writeTo(ObjectNode object) {
        ArrayNode list = Json.array();
        entries.forEach((manager, entry) -> {
            ObjectNode written = list.addObject()
                    .put("manager", manager.name())
                    .put("operation", manager.operation())
                    .put("apiVersion", manager.apiVersion())
                    .put("time", entry.time())
                    .put("fieldsType", "FieldsV1");
            written.set("fieldsV1", entry.fields().write());
            if (!manager.subresource().isEmpty()) {
                written.put("subresource", manager.subresource());
            }
        });
        if (list.isEmpty()) {
            Meta.of(object).remove("managedFields");
        } else {
            Meta.of(object).set("managedFields", list);
        }
    }
}
