package io.controllermanager.app.outside;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/**
 * When objects were first asked to be deleted, by anybody, as an audit log says.
 *
 * @param times by resource and name
 */
record AuditedDeletions(Map<String, Instant> times) {

    static AuditedDeletions of(Path log) throws IOException {
        Map<String, Instant> times = new HashMap<>();
        for (String line : Files.readAllLines(log)) {
            if (line.contains("\"verb\":\"delete\"") && line.endsWith("}")) {
                JsonObject event = JsonParser.parseString(line).getAsJsonObject();
                JsonObject object = event.getAsJsonObject("objectRef");
                Instant time =
                        Instant.parse(event.get("requestReceivedTimestamp").getAsString());
                times.merge(
                        key(text(object, "resource"), text(object, "name")),
                        time,
                        (one, other) -> one.isBefore(other) ? one : other);
            }
        }
        return new AuditedDeletions(Map.copyOf(times));
    }

    /** The first time at which that was asked. */
    Instant first(String resource, String name) {
        Instant time = times.get(key(resource, name));
        if (time == null) {
            throw new AssertionError("nobody has deleted " + key(resource, name));
        }
        return time;
    }

    private static String key(String resource, String name) {
        return resource + " " + name;
    }

    private static String text(JsonObject object, String member) {
        JsonElement value = object.get(member);
        return value == null ? "" : value.getAsString();
    }
}
