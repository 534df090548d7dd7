package io.controllermanager.testing.apiserver.selector;

import io.controllermanager.testing.apiserver.http.StatusException;
import io.controllermanager.testing.apiserver.json.Json;
import io.controllermanager.testing.apiserver.storage.StoredObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A parsed {@code fieldSelector}: comparisons of single fields, of which a resource offers a few. */
public final class FieldSelector {

    private static final Pattern TERM = Pattern.compile("([^=!]+)(==|=|!=)([^=]*)");

    /** Commas that are not escaped. */
    private static final Pattern BETWEEN = Pattern.compile("(?<!\\\\),");

    private record Term(String field, boolean equal, String value) {}

    private final List<Term> terms = new ArrayList<>();

    private FieldSelector() {}

    /**
     * Reads a selector.
     *
     * @param offered fields beyond {@code metadata.name} and {@code metadata.namespace}
     * @throws StatusException 400 for what is no selector, and for a field that is not offered
     */
    public static FieldSelector parse(String text, Set<String> offered) {
        FieldSelector selector = new FieldSelector();
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
            if (!field.equals("metadata.name") && !field.equals("metadata.namespace") && !offered.contains(field)) {
                throw StatusException.badRequest("field label not supported: " + field);
            }
            selector.terms.add(
                    new Term(field, !term.group(2).equals("!="), term.group(3).replaceAll("\\\\(.)", "$1")));
        }
        return selector;
    }

    public boolean isEverything() {
        return terms.isEmpty();
    }

    public boolean matches(StoredObject object) {
        for (Term term : terms) {
            if (value(term.field(), object).equals(term.value()) != term.equal()) {
                return false;
            }
        }
        return true;
    }

    private static String value(String field, StoredObject object) {
        return switch (field) {
            case "metadata.name" -> object.key().name();
            case "metadata.namespace" -> object.key().namespace();
            default -> Json.at(object.tree(), field).asText("");
        };
    }
}
