package io.controllermanager.apiserver.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.fasterxml.jackson.databind.node.ValueNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.google.common.collect.Iterables;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.representer.Representer;
import org.yaml.snakeyaml.resolver.Resolver;

/** Text to tree and back. */
public final class Json {

    /** Of Go's numbers: an integer that does not fit into an int64 is a float64. */
    private static final JsonNodeFactory NODES = new JsonNodeFactory() {
        private static final long serialVersionUID = 1L;

        @Override
        public ValueNode numberNode(BigInteger number) {
            return numberNode(number.doubleValue());
        }
    };

    private static final ObjectMapper MAPPER = new ObjectMapper()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .setNodeFactory(NODES);
    private static final ObjectWriter WRITER = MAPPER.writer();
    private static final ObjectMapper YAML = new YAMLMapper().setNodeFactory(NODES);

    private Json() {}

    public static JsonNode read(byte[] json) throws IOException {
        return MAPPER.readTree(json);
    }

    /** Reads a text; throws an IllegalArgumentException that says what is wrong with it. */
    public static JsonNode parse(String json) {
        try {
            return MAPPER.readTree(json);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    /** Reads what this server wrote itself. */
    public static ObjectNode readOwn(byte[] json) {
        try {
            return (ObjectNode) MAPPER.readTree(json);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Reads a text's first document; null where there is none. */
    public static JsonNode readYaml(byte[] yaml) throws IOException {
        List<JsonNode> documents = documents(yaml, 1);
        return documents.isEmpty() ? NullNode.getInstance() : documents.get(0);
    }

    /** Reads JSON or YAML that lies beside a class. */
    public static JsonNode resource(Class<?> beside, String file) {
        try (InputStream in = Objects.requireNonNull(beside.getResourceAsStream(file), file)) {
            return (file.endsWith(".json") ? MAPPER : YAML).readTree(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** All documents of a text, but for those that are empty. */
    public static List<JsonNode> readAllYaml(byte[] yaml) throws IOException {
        return documents(yaml, Integer.MAX_VALUE).stream()
                .filter(document -> !document.isNull())
                .toList();
    }

    private static List<JsonNode> documents(byte[] yaml, int most) throws IOException {
        List<JsonNode> documents = new ArrayList<>();
        LoaderOptions options = new LoaderOptions();
        options.setNestingDepthLimit(1000);
        DumperOptions dump = new DumperOptions();
        try {
            Yaml parser = new Yaml(new SafeConstructor(options), new Representer(dump), dump, options, new Scalars());
            Iterator<Object> all =
                    parser.loadAll(new String(yaml, StandardCharsets.UTF_8)).iterator();
            while (documents.size() < most && all.hasNext()) {
                documents.add(MAPPER.valueToTree(all.next()));
            }
        } catch (YAMLException | IllegalArgumentException e) {
            throw new IOException(e.getMessage(), e);
        }
        return documents;
    }

    /** As Kubernetes and kubectl read YAML: {@code yes} is a boolean, but {@code 1:30} no number and a date no time. */
    private static final class Scalars extends Resolver {

        private static final Pattern INTEGER = Pattern.compile("[-+]?(0b[01_]+|0x[\\da-fA-F_]+|0[0-7_]*|[1-9][\\d_]*)");
        private static final Pattern REAL = Pattern.compile("[-+]?(\\.\\d+|\\d+(\\.\\d*)?)([eE][-+]?\\d+)?");

        @Override
        protected void addImplicitResolvers() {
            addImplicitResolver(Tag.BOOL, BOOL, "yYnNtTfFoO");
            addImplicitResolver(Tag.INT, INTEGER, "-+0123456789");
            addImplicitResolver(Tag.FLOAT, REAL, "-+0123456789.");
            addImplicitResolver(Tag.MERGE, MERGE, "<");
            addImplicitResolver(Tag.NULL, NULL, "~nN\0");
            addImplicitResolver(Tag.NULL, EMPTY, null);
        }
    }

    /** The paths of fields that a text has more than once in an object. */
    public static List<String> duplicates(byte[] text, boolean yaml) {
        List<String> duplicates = new ArrayList<>();
        try (JsonParser parser = (yaml ? YAML : MAPPER).createParser(text)) {
            Deque<Set<String>> seen = new ArrayDeque<>();
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                switch (token) {
                    case START_OBJECT -> seen.push(new HashSet<>());
                    case END_OBJECT -> seen.pop();
                    case FIELD_NAME -> {
                        if (!seen.element().add(parser.currentName())) {
                            String pointer =
                                    parser.getParsingContext().pathAsPointer().toString();
                            String path = pointer.substring(1).replaceAll("/(\\d+)", "[$1]");
                            duplicates.add(path.replace('/', '.'));
                        }
                    }
                    default -> {}
                }
            }
        } catch (IOException ignored) {
            // Who reads the text for what it says has told of this.
        }
        return duplicates;
    }

    /** The value at a path such as {@code .spec.replicas}. */
    public static JsonNode at(JsonNode object, String path) {
        return object.at((path.startsWith(".") ? "" : "/") + path.replace('.', '/'));
    }

    /**
     * Whether conditions with {@code ?} between them hold for an object: {@code a.b=x|y} if one of these values is there,
     * {@code a} if any is, and {@code a!=x} and {@code !a} if not.
     */
    public static boolean fits(JsonNode object, String conditions) {
        return Stream.of(conditions.split("\\?", -1)).allMatch(condition -> {
            String[] parts = condition.split("!?=", 2);
            JsonNode value = at(object, parts[0].replace("!", ""));
            boolean fits = parts.length > 1
                    ? List.of(parts[1].split("\\|", -1)).contains(value.asText())
                    : !value.isMissingNode();
            return fits != condition.contains("!");
        });
    }

    /** Whether such conditions hold for any item of a list. */
    public static boolean anyFits(JsonNode list, String conditions) {
        return Iterables.any(list, item -> fits(item, conditions));
    }

    /** Sets a copy of a value at such a path, and takes away what is there if the value is missing. */
    public static void set(ObjectNode object, String path, JsonNode value) {
        String[] steps = (path.startsWith(".") ? path.substring(1) : path).split("\\.", 2);
        if (steps.length > 1) {
            set(child(object, steps[0]), steps[1], value);
        } else if (value.isMissingNode()) {
            object.remove(steps[0]);
        } else {
            object.set(steps[0], value.deepCopy());
        }
    }

    public static byte[] writeYaml(JsonNode node) {
        return write(YAML.writer(), node);
    }

    /** A text that is the same in whichever order the fields come. */
    public static byte[] writeSorted(JsonNode node) {
        return write(WRITER.with(JsonNodeFeature.WRITE_PROPERTIES_SORTED), node);
    }

    public static byte[] write(JsonNode node) {
        return write(WRITER, node);
    }

    private static byte[] write(ObjectWriter writer, JsonNode node) {
        try {
            return writer.writeValueAsBytes(node);
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

    public static TextNode text(String text) {
        return TextNode.valueOf(text);
    }

    /** What a list holds, for the caller to keep. */
    public static List<JsonNode> list(JsonNode node) {
        List<JsonNode> list = new ArrayList<>();
        node.forEach(list::add);
        return list;
    }

    public static List<String> texts(JsonNode list) {
        return list(list).stream().map(JsonNode::asText).toList();
    }

    /** Sets a list of texts, if there are any. */
    public static void setTexts(ObjectNode object, String field, List<String> texts) {
        texts.forEach(object.putArray(field)::add);
        if (texts.isEmpty()) {
            object.remove(field);
        }
    }

    /** Sets a field to a text; an empty one takes it away. */
    public static void setText(ObjectNode object, String field, String text) {
        object.put(field, text);
        if (text.isEmpty()) {
            object.remove(field);
        }
    }

    /** The object under this name, made where there is none. */
    public static ObjectNode child(ObjectNode parent, String name) {
        return parent.get(name) instanceof ObjectNode present ? present : parent.putObject(name);
    }
}
