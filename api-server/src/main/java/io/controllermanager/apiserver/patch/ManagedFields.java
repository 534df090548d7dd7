package io.controllermanager.apiserver.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.json.Meta;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/** An object's {@code managedFields}: who set which of its fields (apimachinery, util/managedfields). */
final class ManagedFields {

    private static final Comparator<JsonNode> ORDER = by("operation")
            .thenComparing(by("time"))
            .thenComparing(by("manager"))
            .thenComparing(by("apiVersion"))
            .thenComparing(by("subresource"));

    /** Some fields, and when their manager changed one last; an empty time if it never did. */
    private record Entry(Set<List<String>> fields, String time) {}

    private static final Entry NOTHING = new Entry(Set.of(), "");

    private final Map<Manager, Entry> entries = new LinkedHashMap<>();

    private static Comparator<JsonNode> by(String field) {
        return Comparator.comparing(entry -> entry.path(field).asText());
    }

    static ManagedFields of(ObjectNode object) {
        ManagedFields managed = read(object.path("metadata").path("managedFields"));
        return managed == null ? new ManagedFields() : managed;
    }

    /**
     * The entries from which a write goes on: the client's if it sent valid ones, else those that are there, so that a client
     * which does not know of them does not lose them. An empty list, or a single empty entry, takes all away.
     */
    static ManagedFields of(ObjectNode live, @Nullable JsonNode sent) {
        if (sent == null || !sent.isArray()) {
            return of(live);
        }
        if (sent.isEmpty() || (sent.size() == 1 && sent.path(0).isEmpty())) {
            return new ManagedFields();
        }
        ManagedFields managed = read(sent);
        return managed == null ? of(live) : managed;
    }

    /** Reads entries; null if one of them is none. */
    private static @Nullable ManagedFields read(JsonNode list) {
        ManagedFields managed = new ManagedFields();
        for (JsonNode entry : list) {
            String operation = entry.path("operation").asText();
            String name = entry.path("manager").asText();
            String version = entry.path("apiVersion").asText();
            String subresource = entry.path("subresource").asText();
            Manager manager = new Manager(name, operation.equals("Apply"), version, subresource);
            boolean valid = (manager.apply() || operation.equals("Update"))
                    && !version.isEmpty()
                    && entry.path("fieldsType").asText().equals("FieldsV1")
                    && (entry.path("fieldsV1").isObject() || !entry.hasNonNull("fieldsV1"));
            if (!valid) {
                return null;
            }
            try {
                Set<List<String>> fields = FieldSet.read(entry.path("fieldsV1")).paths();
                managed.entries.put(
                        manager, new Entry(fields, entry.path("time").asText()));
            } catch (IllegalArgumentException e) {
                return null;
            }
        }
        return managed;
    }

    boolean isEmpty() {
        return entries.isEmpty();
    }

    Set<Manager> managers() {
        return Set.copyOf(entries.keySet());
    }

    Set<List<String>> fields(Manager manager) {
        return entries.getOrDefault(manager, NOTHING).fields();
    }

    /** The version that a manager has written in, who may write in another one now; empty if it is new. */
    String version(Manager manager) {
        return entries.keySet().stream()
                .filter(manager::equals)
                .map(Manager::apiVersion)
                .findFirst()
                .orElse("");
    }

    /** When a manager changed a field last; empty if it never did. */
    String time(Manager manager) {
        return entries.getOrDefault(manager, NOTHING).time();
    }

    /** Gives a manager exactly these fields; none at all takes it off the list. */
    void set(Manager manager, Set<List<String>> fields, String time) {
        entries.remove(manager);
        if (!fields.isEmpty()) {
            entries.put(manager, new Entry(new LinkedHashSet<>(fields), time));
        }
    }

    /** Leaves everyone only these fields. */
    void retain(BiPredicate<Manager, List<String>> kept) {
        for (Manager manager : managers()) {
            Set<List<String>> left = new LinkedHashSet<>(fields(manager));
            left.removeIf(field -> !kept.test(manager, field));
            set(manager, left, time(manager));
        }
    }

    /** Whether anyone but this manager has the field. */
    boolean isOwnedByOthers(List<String> field, Manager manager) {
        return managers().stream()
                .anyMatch(other -> !other.equals(manager) && fields(other).contains(field));
    }

    void writeTo(ObjectNode object) {
        List<ObjectNode> list = new ArrayList<>();
        entries.forEach((manager, entry) -> {
            ObjectNode written = Json.object().put("manager", manager.name());
            written.put("operation", manager.apply() ? "Apply" : "Update").put("apiVersion", manager.apiVersion());
            Json.setText(written, "time", entry.time());
            written.put("fieldsType", "FieldsV1").set("fieldsV1", new FieldSet(entry.fields()).write());
            Json.setText(written, "subresource", manager.subresource());
            list.add(written);
        });
        list.sort(ORDER);
        if (list.isEmpty()) {
            Meta.of(object).remove("managedFields");
        } else {
            Meta.of(object).set("managedFields", Json.array().addAll(list));
        }
    }
}
