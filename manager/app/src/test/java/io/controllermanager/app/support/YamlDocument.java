package io.controllermanager.app.support;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/**
 * A YAML document as it is written, of kinds that client-java has no classes for as well.
 *
 * @param content maps, lists, strings, numbers and truth values
 */
public record YamlDocument(Map<String, Object> content) {

    /** Those of a text; empty ones do not count. */
    public static List<YamlDocument> all(String text) {
        List<YamlDocument> documents = new ArrayList<>();
        for (Object document : new Yaml(new SafeConstructor(new LoaderOptions())).loadAll(text)) {
            if (document != null) {
                documents.add(new YamlDocument(map(document)));
            }
        }
        return documents;
    }

    /** The only one of its kind. */
    public static YamlDocument ofKind(String kind, List<YamlDocument> documents) {
        List<YamlDocument> found = documents.stream()
                .filter(document -> kind.equals(document.at("kind")))
                .toList();
        if (found.size() != 1) {
            throw new AssertionError("There are " + found.size() + " of " + kind);
        }
        return found.get(0);
    }

    /** What is at a path: keys of maps, positions in lists. Null if there is nothing. */
    @Nullable
    public Object at(Object... path) {
        Object found = content;
        for (Object step : path) {
            if (found == null) {
                return null;
            }
            found = step instanceof Integer position ? ((List<?>) found).get(position) : ((Map<?, ?>) found).get(step);
        }
        return found;
    }

    /** The map at a path, which has to be there. */
    public Map<String, Object> mapAt(Object... path) {
        return map(Objects.requireNonNull(at(path)));
    }

    @SuppressWarnings("unchecked")
    public static Map<String, Object> map(Object value) {
        return (Map<String, Object>) value;
    }
}
