package io.controllermanager.app.process;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * What an API server's audit log says of a roll-out, in the order in which etcd has stored it.
 *
 * @param mostHeld how many slots were held at a time
 * @param mostRolling how many children had a version that they did not run yet, at a time
 * @param changed the children that were changed, whoever has run them
 * @param conflicts how many writes of slots came too late
 * @param writers who has written slots
 */
record RollOutAudit(int mostHeld, int mostRolling, Set<String> changed, int conflicts, Set<String> writers) {

    private static final int OK = 200;
    private static final int MULTIPLE_CHOICES = 300;
    private static final int CONFLICT = 409;

    /** The log is to hold all changes of slots and children, with their outcome. */
    static String policy() {
        return """
                apiVersion: audit.k8s.io/v1
                kind: Policy
                omitStages: [RequestReceived]
                rules:
                - level: RequestResponse
                  verbs: [create, update, patch, delete, deletecollection]
                  resources: [{group: "", resources: [configmaps, secrets]}]
                - level: None
                """;
    }

    /**
     * Reads all of a log.
     *
     * @param slots the namespace of the slots
     * @param children that of the children
     * @param version the one that is rolled out
     */
    static RollOutAudit read(Path log, String slots, String children, String version) throws IOException {
        Map<Long, JsonObject> stored = new TreeMap<>();
        Set<String> writers = new TreeSet<>();
        int conflicts = 0;
        try (Stream<String> lines = Files.lines(log)) {
            for (String line : (Iterable<String>) lines::iterator) {
                JsonObject event = JsonParser.parseString(line).getAsJsonObject();
                JsonObject reference = event.getAsJsonObject("objectRef");
                String namespace = text(reference, "namespace");
                int code = event.getAsJsonObject("responseStatus").get("code").getAsInt();
                boolean ofSlots = namespace.equals(slots)
                        && text(reference, "resource").equals("configmaps")
                        && text(event, "requestURI").contains("slots-");
                if (ofSlots && code == CONFLICT) {
                    conflicts++;
                }
                if (code >= OK && code < MULTIPLE_CHOICES && (ofSlots || isChild(reference, children))) {
                    JsonObject object = event.getAsJsonObject("responseObject");
                    stored.put(Long.parseLong(text(object.getAsJsonObject("metadata"), "resourceVersion")), object);
                    if (ofSlots) {
                        writers.add(text(event.getAsJsonObject("user"), "username"));
                    }
                }
            }
        }
        return of(stored.values().stream().toList(), children, version, conflicts, writers);
    }

    private static boolean isChild(JsonObject reference, String namespace) {
        return text(reference, "namespace").equals(namespace)
                && text(reference, "resource").equals("secrets");
    }

    private static RollOutAudit of(
            List<JsonObject> stored, String children, String version, int conflicts, Set<String> writers) {
        int mostHeld = 0;
        int mostRolling = 0;
        Set<String> rolling = new HashSet<>();
        Set<String> changed = new HashSet<>();
        for (JsonObject object : stored) {
            JsonObject metadata = object.getAsJsonObject("metadata");
            if (!text(metadata, "namespace").equals(children)) {
                JsonObject holders = object.getAsJsonObject("data");
                mostHeld = Math.max(mostHeld, holders == null ? 0 : holders.size());
                continue;
            }
            JsonObject labels = metadata.getAsJsonObject("labels");
            String name = text(metadata, "name");
            if (!text(labels, RollingController.VERSION).equals(version)) {
                continue;
            }
            changed.add(name);
            if (text(labels, RollingController.RUNS).equals(version)) {
                rolling.remove(name);
            } else {
                rolling.add(name);
            }
            mostRolling = Math.max(mostRolling, rolling.size());
        }
        return new RollOutAudit(mostHeld, mostRolling, changed, conflicts, writers);
    }

    private static String text(JsonObject object, String member) {
        JsonElement value = object.get(member);
        return value == null ? "" : value.getAsString();
    }
}
