package io.controllermanager.crd;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Judges whether another CRD breaks objects that are stored: whether the API server would drop fields of theirs, or refuse them
 * as they are at their next update. An object is stored in one version and read in each that is served. Where no webhook
 * converts it, the API server writes the other version's name into it and drops what that one does not have. So each version
 * is compared with what it was and, unless a webhook converts, with the version that objects are stored in, before and after.
 * What was lost there before is not told again.
 *
 * <p>A version comes and goes in steps, so that each release can read what the one before and the one after have stored: it is
 * served before objects are stored in it, and is there for at least one release after that.
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
        CustomResourceDefinition replacing = CustomResourceDefinition.parse(after);
        Map<String, Object> old = Schema.members(Yamls.read(before), "spec");
        Map<String, Object> now = Schema.members(replacing.content(), "spec");
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
            if (present != null) {
                new SchemaChange(name + ": ", breaks).compare("", schema, present);
            }
        });
        Set<String> stored = versions(old, "storage").keySet();
        stored.stream()
                .filter(name -> !versions.containsKey(name))
                .forEach(
                        name -> breaks.add(
                                "version " + name
                                        + " is gone, and objects are stored in it; store them in another first, and let it go a release later"));
        versions(now, "storage").keySet().stream()
                .filter(name -> !stored.isEmpty() && !versions(old, "served").containsKey(name))
                .forEach(name -> breaks.add("objects are stored in version " + name
                        + ", which is not served yet; serve it with storage = false first, and store them in it a"
                        + " release later"));
        Set<String> losses = new LinkedHashSet<>(losses(old, now));
        losses.addAll(losses(now, now));
        losses.removeAll(losses(old, old));
        breaks.addAll(losses);
        List<String> classes = replacing.classes();
        if (!losses.isEmpty() && classes.size() > 1) {
            breaks.add("write " + Conversion.converters(classes.subList(1, classes.size()), classes.get(0))
                    + ", or the like, and nothing of it is lost");
        }
        return breaks;
    }

    /**
     * The versions that another CRD has no more, though objects may still be stored in them. The API server takes it once they
     * are not in {@code status.storedVersions}.
     *
     * @throws IllegalArgumentException if one is no YAML
     */
    public static Set<String> gone(String before, String after) {
        Set<String> gone = new LinkedHashSet<>(
                versions(Schema.members(Yamls.read(before), "spec"), "name").keySet());
        gone.removeAll(
                versions(Schema.members(Yamls.read(after), "spec"), "name").keySet());
        return gone;
    }

    /** What breaks objects that one CRD stores where the other serves them in another version. */
    static List<String> losses(Map<String, Object> storing, Map<String, Object> serving) {
        List<String> losses = new ArrayList<>();
        if ("Webhook".equals(Schema.members(serving, "conversion").get("strategy"))) {
            return losses;
        }
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
