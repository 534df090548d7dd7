package io.controllermanager.crd;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Judges whether another CRD breaks objects that are stored: whether the API server would drop fields of theirs, or refuse them
 * as they are at their next update. An object is stored in one version and read in each that is served, and nothing converts it:
 * the API server writes the other version's name into it and drops what that one does not have. So each version is compared
 * with what it was, and with the version that objects are stored in, before and after. What was lost there before is not told
 * again.
 *
 * <p>It is strict where it cannot know: a pattern that differs counts as narrower. An API server from Kubernetes 1.33 on lets
 * values pass that an update leaves alone (KEP-4008), but does so for no one who creates the object anew from its manifest.
 */
public final class Compatibility {

    private Compatibility() {}

    /**
     * What breaks, one line each with version, field and reason; empty if nothing does.
     *
     * @param before the YAML of the CRD that objects were stored with
     * @param after the YAML of the CRD that is to replace it
     * @throws IllegalArgumentException if one is no YAML
     */
    public static List<String> breaks(String before, String after) {
        return breaks(Yamls.read(before), Yamls.read(after));
    }

    static List<String> breaks(Map<String, Object> before, Map<String, Object> after) {
        Map<String, Object> old = Schema.members(before, "spec");
        Map<String, Object> now = Schema.members(after, "spec");
        List<String> breaks = new ArrayList<>();
        Object scope = old.getOrDefault("scope", "");
        if (!scope.equals(now.get("scope"))) {
            breaks.add("scope " + scope + " becomes " + now.get("scope"));
        }
        Object kind = Schema.members(old, "names").get("kind");
        Object newKind = Schema.members(now, "names").get("kind");
        if (kind != null && !kind.equals(newKind)) {
            breaks.add("kind " + kind + " becomes " + newKind);
        }
        Map<String, Map<String, Object>> versions = versions(now, "name");
        versions(old, "name").forEach((name, schema) -> {
            Map<String, Object> present = versions.get(name);
            if (present == null) {
                breaks.add("version " + name
                        + " is gone; it stays, with served = false if need be, while objects are stored in it");
            } else {
                new SchemaChange(name + ": ", breaks).compare("", schema, present);
            }
        });
        Set<String> losses = new LinkedHashSet<>(losses(old, now));
        losses.addAll(losses(now, now));
        losses.removeAll(losses(old, old));
        breaks.addAll(losses);
        return breaks;
    }

    /** What breaks objects that one CRD stores where the other serves them in another version. */
    static List<String> losses(Map<String, Object> storing, Map<String, Object> serving) {
        List<String> losses = new ArrayList<>();
        versions(storing, "storage")
                .forEach((stored, schema) -> versions(serving, "served").forEach((served, read) -> {
                    if (!served.equals(stored)) {
                        new SchemaChange("objects stored in " + stored + " and read in " + served + ": ", losses)
                                .compare("", schema, read);
                    }
                }));
        return losses;
    }

    /** The schemas by version, of those versions that have something that is not false. */
    private static Map<String, Map<String, Object>> versions(Map<String, Object> spec, String having) {
        Map<String, Map<String, Object>> schemas = new LinkedHashMap<>();
        for (Object version : Schema.list(spec, "versions")) {
            Map<String, Object> entry = Schema.members(Map.of("version", version), "version");
            if (!Boolean.FALSE.equals(entry.getOrDefault(having, false))) {
                schemas.put(
                        String.valueOf(entry.get("name")),
                        Schema.members(Schema.members(entry, "schema"), "openAPIV3Schema"));
            }
        }
        return schemas;
    }
}
