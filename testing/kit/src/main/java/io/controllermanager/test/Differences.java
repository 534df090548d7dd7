package io.controllermanager.test;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import io.controllermanager.client.internal.json.FieldPaths;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** How two states of an object differ, field by field. */
final class Differences {

    private Differences() {}

    /**
     * A line for each field, such as {@code spec.replicas: 2 → 3}, with the paths of {@link FieldPaths}. What is in a Secret is
     * not told.
     *
     * @param before null if there was no object
     * @param after null if there is none any more
     */
    static List<String> between(@Nullable JsonNode before, @Nullable JsonNode after) {
        boolean secret = isSecret(before) || isSecret(after);
        Map<String, String> lines = new TreeMap<>();
        FieldPaths.compare("", tree(before), tree(after), true, (path, from, to) -> {
            boolean hidden = secret && holdsSecret(path);
            lines.put(path, path + ": " + shown(from, hidden) + " → " + shown(to, hidden));
        });
        return List.copyOf(lines.values());
    }

    private static boolean isSecret(@Nullable JsonNode object) {
        return object != null && object.path("kind").asText().equals("Secret");
    }

    /** What holds a Secret's data, also as kubectl keeps it. */
    private static boolean holdsSecret(String path) {
        return path.startsWith("data") || path.startsWith("stringData") || path.contains("last-applied-configuration");
    }

    private static @Nullable JsonElement tree(@Nullable JsonNode node) {
        return node == null ? null : JsonParser.parseString(node.toString());
    }

    private static String shown(@Nullable JsonElement value, boolean hidden) {
        return value == null ? "nothing" : hidden ? "a secret" : value.toString();
    }
}
