package io.controllermanager.crd;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Judges whether another CRD breaks objects that are stored: whether the API server would drop fields of theirs, or refuse them
 * as they are at their next update. What is new in a version breaks nothing unless the version was there before.
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
        Map<String, Map<String, Object>> versions = versions(now);
        versions(old).forEach((name, schema) -> {
            Map<String, Object> present = versions.get(name);
            if (present == null) {
                breaks.add("version " + name
                        + " is gone; it stays, with served = false if need be, while objects are stored in it");
            } else {
                new SchemaChange(name + ": ", breaks).compare("", schema, present);
            }
        });
        return breaks;
    }

    /** The schemas by version. */
    private static Map<String, Map<String, Object>> versions(Map<String, Object> spec) {
        Map<String, Map<String, Object>> schemas = new LinkedHashMap<>();
        for (Object version : Schema.list(spec, "versions")) {
            Map<String, Object> entry = Schema.members(Map.of("version", version), "version");
            schemas.put(
                    String.valueOf(entry.get("name")),
                    Schema.members(Schema.members(entry, "schema"), "openAPIV3Schema"));
        }
        return schemas;
    }
}
