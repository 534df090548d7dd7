package io.controllermanager.testing.apiserver.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Text to tree and back. */
public final class Json {

    private static final ObjectMapper MAPPER =
            new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private Json() {}

    public static JsonNode read(byte[] json) throws IOException {
        return MAPPER.readTree(json);
    }

    /** Reads what this server wrote itself. */
    public static ObjectNode readOwn(byte[] json) {
        try {
            return (ObjectNode) MAPPER.readTree(json);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static JsonNode readYaml(byte[] yaml) throws IOException {
        return new YAMLMapper().readTree(yaml);
    }

    /** All documents of a text, but for those that are empty. */
    public static List<JsonNode> readAllYaml(byte[] yaml) throws IOException {
        List<JsonNode> documents = new ArrayList<>();
        try (MappingIterator<JsonNode> all =
                new YAMLMapper().readerFor(JsonNode.class).readValues(yaml)) {
            while (all.hasNextValue()) {
                JsonNode document = all.nextValue();
                if (document != null && !document.isNull() && !document.isMissingNode()) {
                    documents.add(document);
                }
            }
        }
        return documents;
    }

    /** The paths of fields that a text has more than once in an object. */
    public static List<String> duplicates(byte[] text, boolean yaml) {
        List<String> duplicates = new ArrayList<>();
        try (JsonParser parser = (yaml ? new YAMLMapper() : MAPPER).createParser(text)) {
            Deque<Set<String>> seen = new ArrayDeque<>();
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                switch (token) {
                    case START_OBJECT -> seen.push(new HashSet<>());
                    case END_OBJECT -> seen.pop();
                    case FIELD_NAME -> {
                        if (!seen.element().add(parser.currentName())) {
                            duplicates.add(parser.getParsingContext()
                                    .pathAsPointer()
                                    .toString()
                                    .substring(1)
                                    .replaceAll("/(\\d+)", "[$1]")
                                    .replace('/', '.'));
                        }
                    }
                    default -> {}
                }
            }
        } catch (IOException e) {
            // Who reads the text for what it says has told of this.
            return duplicates;
        }
        return duplicates;
    }

    /** The value at a path such as {@code .spec.replicas}. */
    public static JsonNode at(JsonNode object, String path) {
        return object.at((path.startsWith(".") ? "" : "/") + path.replace('.', '/'));
    }

    public static byte[] writeYaml(JsonNode node) {
        try {
            return new YAMLMapper().writeValueAsBytes(node);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static byte[] write(JsonNode node) {
        try {
            return MAPPER.writeValueAsBytes(node);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    public static ArrayNode array() {
        return JsonNodeFactory.instance.arrayNode();
    }

    /** The object under this name, made where there is none. */
    public static ObjectNode child(ObjectNode parent, String name) {
        return parent.get(name) instanceof ObjectNode present ? present : parent.putObject(name);
    }
}
