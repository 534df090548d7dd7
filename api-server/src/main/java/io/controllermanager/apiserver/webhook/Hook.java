package io.controllermanager.apiserver.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.json.Meta;
import io.controllermanager.apiserver.resource.ResourceType;
import io.controllermanager.apiserver.selector.LabelSelector;
import io.controllermanager.apiserver.storage.Key;
import io.controllermanager.apiserver.storage.Store;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One webhook of a configuration, and what it wants to be asked about (apiserver, pkg/admission/plugin/webhook/predicates).
 *
 * @param spec an item of the configuration's {@code webhooks}
 */
record Hook(JsonNode spec) {

    String name() {
        return spec.path("name").asText();
    }

    boolean failsOpen() {
        return spec.path("failurePolicy").asText().equals("Ignore");
    }

    /**
     * In which version it is to be asked about a write; null if it is not, its {@code matchConditions} aside.
     *
     * @param versions of the write's resource, in the order of discovery
     */
    @Nullable
    ResourceType wants(Attributes write, List<ResourceType> versions, Store store) {
        boolean equivalent = spec.path("matchPolicy").asText("Equivalent").equals("Equivalent");
        List<JsonNode> rules = Json.list(spec.path("rules"));
        Stream<ResourceType> others = rules.stream()
                .flatMap(rule -> versions.stream().filter(type -> equivalent && matches(rule, write, type)));
        boolean asItIs = rules.stream().anyMatch(rule -> matches(rule, write, write.type()));
        ResourceType as = asItIs ? write.type() : others.findFirst().orElse(null);
        return as != null && selectsNamespace(write, store) && selectsObject(write) ? as : null;
    }

    private boolean selectsNamespace(Attributes write, Store store) {
        LabelSelector selector = LabelSelector.of(spec.path("namespaceSelector"));
        if (write.namespace().isEmpty() || selector.isEverything()) {
            return true;
        }
        ObjectNode itself = write.isNamespace() && write.subresource().isEmpty() ? write.object() : null;
        Map<String, String> labels = itself != null
                ? Meta.labels(itself)
                : store.existing(new Key("namespaces", "", write.namespace()), "namespaces")
                        .labels();
        return selector.matches(labels);
    }

    private boolean selectsObject(Attributes write) {
        LabelSelector selector = LabelSelector.of(spec.path("objectSelector"));
        return selector.isEverything()
                || Stream.of(write.object(), write.oldObject())
                        .anyMatch(object -> object != null && selector.matches(Meta.labels(object)));
    }

    /** Whether a rule is about a write, were it one of this type. */
    static boolean matches(JsonNode rule, Attributes write, ResourceType type) {
        boolean cluster = write.isNamespace() || write.namespace().isEmpty();
        String sub = write.subresource().isEmpty() ? "" : "/" + write.subresource();
        Set<String> its = Set.of(type.plural() + sub, "*" + sub, type.plural() + "/*", "*/*");
        return !rule.path("scope").asText().equals(cluster ? "Namespaced" : "Cluster")
                && has(rule, "operations", write.operation())
                && has(rule, "apiGroups", type.group())
                && has(rule, "apiVersions", type.version())
                && !Collections.disjoint(its, Json.texts(rule.path("resources")));
    }

    private static boolean has(JsonNode rule, String field, String value) {
        List<String> values = Json.texts(rule.path(field));
        return values.contains("*") || values.contains(value);
    }
}
