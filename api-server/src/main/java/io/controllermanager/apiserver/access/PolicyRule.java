package io.controllermanager.apiserver.access;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.json.Json;
import java.util.List;

/** A rule of a Role or ClusterRole (kubernetes, pkg/apis/rbac/v1/evaluation_helpers.go). */
record PolicyRule(
        List<String> verbs,
        List<String> apiGroups,
        List<String> resources,
        List<String> resourceNames,
        List<String> nonResourceUrls) {

    private static final String ALL = "*";

    static List<PolicyRule> ofRole(JsonNode role) {
        return Json.list(role.path("rules")).stream()
                .map(rule -> new PolicyRule(
                        Json.texts(rule.path("verbs")),
                        Json.texts(rule.path("apiGroups")),
                        Json.texts(rule.path("resources")),
                        Json.texts(rule.path("resourceNames")),
                        Json.texts(rule.path("nonResourceURLs"))))
                .toList();
    }

    /** Fills in a rule as a review shows it. */
    void write(ObjectNode into) {
        Json.setTexts(into, "verbs", verbs);
        Json.setTexts(into, "apiGroups", apiGroups);
        Json.setTexts(into, "resources", resources);
        Json.setTexts(into, "resourceNames", resourceNames);
        Json.setTexts(into, "nonResourceURLs", nonResourceUrls);
    }

    boolean allows(Attributes wanted) {
        return has(verbs, wanted.verb())
                && (wanted.isResource()
                        ? coversResource(wanted)
                        : nonResourceUrls.stream().anyMatch(url -> coversPath(url, wanted.path())));
    }

    private static boolean has(List<String> allowed, String wanted) {
        return allowed.contains(ALL) || allowed.contains(wanted);
    }

    private boolean coversResource(Attributes wanted) {
        boolean isOfAll = !wanted.subresource().isEmpty() && resources.contains("*/" + wanted.subresource());
        return has(apiGroups, wanted.group())
                && (isOfAll || has(resources, wanted.combinedResource()))
                && (resourceNames.isEmpty() || resourceNames.contains(wanted.name()));
    }

    /** Whether a rule's path is this one, or begins it with a star at its end. */
    private static boolean coversPath(String url, String path) {
        return url.equals(path) || (url.endsWith(ALL) && path.startsWith(url.replaceAll("\\*+$", "")));
    }
}
