package io.controllermanager.image;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * An object as people give it to {@code kubectl apply}, and others like it.
 *
 * @param object with {@code apiVersion}, {@code kind} and a name
 */
record Sample(ObjectNode object) {

    private static final Pattern FILE = Pattern.compile("(?!kustomization\\.).*\\.(yaml|yml|json)");

    /**
     * Those of some files and folders, in the order of the files' names.
     *
     * @throws IOException if a file cannot be read, or has something else in it
     */
    static List<Sample> read(List<Path> locations) throws IOException {
        List<Sample> all = new ArrayList<>();
        for (Path location : locations) {
            if (Files.isDirectory(location)) {
                try (Stream<Path> files = Files.list(location)) {
                    for (Path file : files.filter(file ->
                                    FILE.matcher(file.getFileName().toString()).matches())
                            .sorted()
                            .toList()) {
                        readFile(file, all);
                    }
                }
            } else {
                readFile(location, all);
            }
        }
        return all;
    }

    private static void readFile(Path file, List<Sample> all) throws IOException {
        try (MappingIterator<JsonNode> documents =
                new YAMLMapper().readerFor(JsonNode.class).readValues(file.toFile())) {
            while (documents.hasNextValue()) {
                JsonNode document = documents.nextValue();
                if (document instanceof ObjectNode object && object.hasNonNull("kind")) {
                    all.add(new Sample(object));
                } else if (document != null && !document.isNull()) {
                    throw new IOException(file + " has something in it that is no object of Kubernetes");
                }
            }
        }
    }

    String apiVersion() {
        return object.path("apiVersion").asText();
    }

    String kind() {
        return object.path("kind").asText();
    }

    String name() {
        return object.path("metadata").path("name").asText();
    }

    boolean isDefinition() {
        return kind().equals("CustomResourceDefinition");
    }

    /**
     * One like it with a number at the end of its name. Where its text names it as a whole word, it names the copy, so that
     * copies which name what they make do not get into each other's way.
     */
    Sample copy(int number) {
        String name = name();
        Pattern word = Pattern.compile("(?<![A-Za-z0-9])" + Pattern.quote(name) + "(?![A-Za-z0-9])");
        String replacement = Matcher.quoteReplacement(name + "-" + number);
        ObjectNode copy = object.deepCopy();
        copy.properties().forEach(field -> {
            if (!field.getKey().equals("apiVersion") && !field.getKey().equals("kind")) {
                field.setValue(map(
                        field.getValue(),
                        value -> value.isTextual()
                                ? TextNode.valueOf(
                                        word.matcher(value.textValue()).replaceAll(replacement))
                                : value));
            }
        });
        return new Sample(copy);
    }

    /** A change of it that asks for work, as a merge patch: all whole numbers of its {@code spec} are greater by one. */
    ObjectNode change() {
        ObjectNode patch = object.objectNode();
        JsonNode spec = object.get("spec");
        if (spec != null) {
            patch.set(
                    "spec",
                    map(
                            spec.deepCopy(),
                            value -> value.isIntegralNumber() ? object.numberNode(value.longValue() + 1) : value));
        }
        return patch;
    }

    private static JsonNode map(JsonNode node, UnaryOperator<JsonNode> change) {
        if (node instanceof ObjectNode map) {
            map.properties().forEach(field -> field.setValue(map(field.getValue(), change)));
            return map;
        }
        if (node instanceof ArrayNode list) {
            for (int i = 0; i < list.size(); i++) {
                list.set(i, map(list.get(i), change));
            }
            return list;
        }
        return change.apply(node);
    }
}
