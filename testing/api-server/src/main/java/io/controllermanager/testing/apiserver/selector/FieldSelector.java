package io.controllermanager.testing.apiserver.selector;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.apiserver.http.StatusException;
import io.controllermanager.testing.apiserver.json.Json;
import io.controllermanager.testing.apiserver.resource.ResourceType;
import io.controllermanager.testing.apiserver.storage.StoredObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A parsed {@code fieldSelector}: comparisons of single fields, of which a resource offers a few. */
public final class FieldSelector {

    private static final Pattern TERM = Pattern.compile("([^=!]+)(==|=|!=)([^=]*)");

    /** Commas that are not escaped. */
    private static final Pattern BETWEEN = Pattern.compile("(?<!\\\\),");

    /** Those that the metadata alone tells about; all types offer them, but some that are outside of namespaces. */
    private static final Set<String> METADATA = Set.of("metadata.name", "metadata.namespace");

    private record Term(String field, boolean equal, String value) {}

    private final List<Term> terms = new ArrayList<>();
    private final Map<String, String> offered;
    private final Function<StoredObject, ObjectNode> reader;

    private FieldSelector(Map<String, String> offered, Function<StoredObject, ObjectNode> reader) {
        this.offered = offered;
        this.reader = reader;
    }

    /**
     * Reads a selector.
     *
     * @param reader shows an object as a client of this type reads it
     * @throws StatusException 400 for what is no selector, and for a field that the type does not offer
     */
    public static FieldSelector parse(String text, ResourceType type, Function<StoredObject, ObjectNode> reader) {
        FieldSelector selector = new FieldSelector(type.fields(), reader);
        if (text.isBlank()) {
            return selector;
        }
        for (String part : BETWEEN.split(text, -1)) {
            if (part.isEmpty()) {
                continue;
            }
            Matcher term = TERM.matcher(part.strip());
            if (!term.matches()) {
                throw StatusException.badRequest("invalid selector: '" + text + "'; can't understand '" + part + "'");
            }
            String field = term.group(1);
            check(field, type);
            selector.terms.add(
                    new Term(field, !term.group(2).equals("!="), term.group(3).replaceAll("\\\\(.)", "$1")));
        }
        return selector;
    }

    /** A type that names its fields offers no others; one that does not has apimachinery's words for that. */
    private static void check(String field, ResourceType type) {
        boolean names = type.isCustom() || !type.fields().isEmpty();
        boolean ofMetadata = METADATA.contains(field) && (field.equals("metadata.name") || type.namespaced() || !names);
        if (!ofMetadata && !type.fields().containsKey(field)) {
            throw StatusException.badRequest(
                    names
                            ? "field label not supported: " + field
                            : "\"" + field
                                    + "\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"");
        }
    }

    public boolean isEverything() {
        return terms.isEmpty();
    }

    public boolean matches(StoredObject object) {
        boolean metadataIsEnough = terms.stream().allMatch(term -> METADATA.contains(term.field()));
        ObjectNode tree = metadataIsEnough ? Json.object() : reader.apply(object);
        for (Term term : terms) {
            if (value(term.field(), object, tree).equals(term.value()) != term.equal()) {
                return false;
            }
        }
        return true;
    }

    private String value(String field, StoredObject object, ObjectNode tree) {
        return switch (field) {
            case "metadata.name" -> object.key().name();
            case "metadata.namespace" -> object.key().namespace();
            default -> value(tree, offered.getOrDefault(field, ""));
        };
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
