package io.controllermanager.test;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** How two states of an object differ, field by field. */
final class Differences {

    /** What each write changes. */
    private static final Set<String> OF_EVERY_WRITE =
            Set.of("metadata.resourceVersion", "metadata.generation", "metadata.managedFields");

    private static final String NOTHING = "nothing";

    private Differences() {}

    /**
     * A line for each field, such as {@code spec.replicas: 2 → 3}. Elements of lists are named by their {@code type} or
     * {@code name}, where they have one. What is in a Secret is not told.
     *
     * @param before null if there was no object
     * @param after null if there is none any more
     */
    static List<String> between(@Nullable JsonNode before, @Nullable JsonNode after) {
        Map<String, String> was = flat(before);
        Map<String, String> is = flat(after);
        Set<String> paths = new TreeSet<>(was.keySet());
        paths.addAll(is.keySet());
        boolean secret = "\"Secret\"".equals(is.getOrDefault("kind", was.get("kind")));
        List<String> lines = new ArrayList<>();
        for (String path : paths) {
            String from = was.getOrDefault(path, NOTHING);
            String to = is.getOrDefault(path, NOTHING);
            if (!from.equals(to) && OF_EVERY_WRITE.stream().noneMatch(path::startsWith)) {
                lines.add(path + ": "
                        + (secret && isSecret(path) ? hidden(from) + " → " + hidden(to) : from + " → " + to));
            }
        }
        return lines;
    }

    /** What holds a Secret's data, also as kubectl keeps it. */
    private static boolean isSecret(String path) {
        return path.startsWith("data") || path.startsWith("stringData") || path.endsWith("last-applied-configuration");
    }

    private static String hidden(String value) {
        return value.equals(NOTHING) ? value : "a secret";
    }

    private static Map<String, String> flat(@Nullable JsonNode node) {
        Map<String, String> values = new TreeMap<>();
        if (node != null) {
            flatten("", node, values);
        }
        return values;
    }

    private static void flatten(String path, JsonNode node, Map<String, String> values) {
        if (node.isObject() && !node.isEmpty()) {
            node.properties()
                    .forEach(field -> flatten(
                            path.isEmpty() ? field.getKey() : path + "." + field.getKey(), field.getValue(), values));
        } else if (node.isArray() && !node.isEmpty()) {
            Set<String> labels = new HashSet<>();
            for (int index = 0; index < node.size(); index++) {
                String label = label(node.get(index), index);
                String unique = labels.add(label) ? label : label + "#" + index;
                flatten(path + "[" + unique + "]", node.get(index), values);
            }
        } else {
            values.put(path, node.toString());
        }
    }

    private static String label(JsonNode element, int index) {
        String type = element.path("type").asText();
        return type.isEmpty() ? element.path("name").asText(Integer.toString(index)) : type;
    }
}
