package io.controllermanager.apiserver.selector;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.http.StatusException;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.json.Meta;
import io.controllermanager.apiserver.resource.ResourceType;
import io.controllermanager.apiserver.storage.Key;
import io.controllermanager.apiserver.storage.StoredObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A parsed {@code fieldSelector}: comparisons of single fields, of which a resource offers a few.
 *
 * @param terms have to hold, all of them
 * @param reader shows an object as a client of its type reads it
 */
public record FieldSelector(List<Term> terms, Function<StoredObject, ObjectNode> reader) {

    private static final Pattern TERM = Pattern.compile("([^=!]+)(==|=|!=)((?:[^=\\\\]|\\\\[=,\\\\])*)");

    /** Commas that are not escaped. */
    private static final Pattern BETWEEN = Pattern.compile("(?<!\\\\),");

    /** Those that the metadata alone tells about; all types offer them, but some that are outside of namespaces. */
    private static final Set<String> METADATA = Set.of("metadata.name", "metadata.namespace");

    /** A comparison. For the ways to the field's value see {@link ResourceType#fields}. */
    record Term(String field, String ways, boolean equal, String value) {}

    /** Reads a selector; 400 for what is no selector, and for a field that the type does not offer. */
    public static FieldSelector parse(String text, ResourceType type, Function<StoredObject, ObjectNode> reader) {
        List<Term> terms = new ArrayList<>();
        for (String part : text.isBlank() ? new String[0] : BETWEEN.split(text, -1)) {
            if (part.isEmpty()) {
                continue;
            }
            Matcher term = TERM.matcher(part.strip());
            if (!term.matches()) {
                throw StatusException.badRequest("invalid selector: '" + text + "'; can't understand '" + part + "'");
            }
            String field = term.group(1);
            check(field, type);
            String value = term.group(3).replaceAll("\\\\(.)", "$1");
            String ways = type.fields().getOrDefault(field, field);
            terms.add(new Term(field, ways, !term.group(2).equals("!="), value));
        }
        return new FieldSelector(terms, reader);
    }

    /** A type that names its fields offers no others; one that does not has apimachinery's words for that. */
    private static void check(String field, ResourceType type) {
        boolean names = type.isCustom() || !type.fields().isEmpty();
        boolean ofMetadata = METADATA.contains(field) && (field.equals("metadata.name") || type.namespaced() || !names);
        if (!ofMetadata && !type.fields().containsKey(field)) {
            String unknown = " is not a known field selector: only \"metadata.name\", \"metadata.namespace\"";
            throw StatusException.badRequest(
                    names ? "field label not supported: " + field : '"' + field + '"' + unknown);
        }
    }

    public boolean isEverything() {
        return terms.isEmpty();
    }

    public boolean matches(StoredObject object) {
        boolean metadataIsEnough = terms.stream().allMatch(term -> METADATA.contains(term.field()));
        ObjectNode tree = metadataIsEnough ? Json.object() : reader.apply(object);
        Key key = object.key();
        Meta.of(tree).put("name", key.name()).put("namespace", key.namespace());
        return terms.stream().allMatch(term -> value(tree, term.ways()).equals(term.value()) == term.equal());
    }

    private static String value(ObjectNode tree, String ways) {
        for (String way : ways.split("\\|", -1)) {
            String value = way.startsWith("<")
                    ? way.substring(1, way.length() - 1)
                    : Json.at(tree, way).asText("");
            if (!value.isEmpty()) {
                return value;
            }
        }
        return "";
    }
}
