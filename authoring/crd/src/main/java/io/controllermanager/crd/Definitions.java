package io.controllermanager.crd;

import io.controllermanager.types.CustomResource;
import io.controllermanager.types.CustomResourceNames;
import io.controllermanager.types.Scale;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Puts CRDs together: names, versions, subresources, columns. */
final class Definitions {

    private static final Pattern SUBDOMAIN =
            Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+");
    private static final Pattern LABEL = Pattern.compile("[a-z]([-a-z0-9]{0,61}[a-z0-9])?");

    /** Together with {@code List} a label as well. */
    private static final Pattern KIND = Pattern.compile("[A-Za-z]([-A-Za-z0-9]{0,57}[A-Za-z0-9])?");

    private final Comments comments;
    private final Conversion conversion;
    private final Problems problems;

    Definitions(Comments comments, Conversion conversion, Problems problems) {
        this.comments = comments;
        this.conversion = conversion;
        this.problems = problems;
    }

    /** The CRD of one type, of which the classes are the versions, the most stable and newest first. */
    CustomResourceDefinition of(List<Class<?>> versions) {
        int known = problems.found.size();
        List<String> classes = versions.stream().map(Class::getName).toList();
        Class<?> first = versions.get(0);
        CustomResourceNames names = CustomResourceNames.of(first);
        Map<String, Object> shared = shared(first);
        int stored = 0;
        List<Map<String, Object>> entries = new ArrayList<>();
        List<String> warnings = new ArrayList<>();
        for (Class<?> version : versions) {
            if (!shared(version).equals(shared)) {
                problems.add(Place.of(version)
                        .invalid("differs from " + first.getName() + ", another version of it: " + shared(version)
                                + " and " + shared));
            }
            stored += version.getAnnotation(CustomResource.class).storage() ? 1 : 0;
            problems.gather(() -> entries.add(version(version, warnings)));
        }
        if (stored != 1) {
            problems.add(Place.of(first)
                    .invalid("objects are stored in one version, not in " + stored + " of " + classes
                            + "; say storage = false in @CustomResource of the others"));
        }
        if (entries.stream().map(entry -> entry.get("name")).distinct().count() < entries.size()) {
            problems.add(Place.of(first).invalid("two classes are version " + names.version() + ": " + classes));
        }
        Map<String, Object> metadata = new LinkedHashMap<>();
        metadata.put("name", names.plural() + "." + names.group());
        Schema.putGiven(metadata, "annotations", annotations(versions));
        Map<String, Object> spec = new LinkedHashMap<>(shared);
        boolean converted = conversion.covers(versions);
        if (converted) {
            spec.put("conversion", conversion.toMap());
        }
        spec.put("versions", entries);
        Map<String, Object> content = new LinkedHashMap<>();
        content.put("apiVersion", "apiextensions.k8s.io/v1");
        content.put("kind", "CustomResourceDefinition");
        content.put("metadata", metadata);
        content.put("spec", spec);
        String missing = conversion.missing(versions);
        if (converted && !missing.isEmpty()) {
            problems.add(Place.of(first).invalid("a webhook converts some of its versions; write " + missing + " too"));
        } else if (problems.found.size() == known) {
            Compatibility.losses(spec, spec)
                    .forEach(loss -> problems.add(Place.of(first)
                            .invalid(loss + "; have all versions take it, say served = false where it is missing, or"
                                    + " write " + missing)));
        }
        return new CustomResourceDefinition(content, classes, warnings);
    }

    /** What all versions have in common. */
    private Map<String, Object> shared(Class<?> type) {
        CustomResourceNames names = CustomResourceNames.of(type);
        CustomResource resource = type.getAnnotation(CustomResource.class);
        Place place = Place.of(type);
        Map<String, Object> called = new LinkedHashMap<>();
        called.put("kind", valid(place, "kind", names.kind(), KIND));
        called.put("listKind", names.kind() + "List");
        called.put("plural", servable(place, valid(place, "plural", names.plural(), LABEL), names.namespaced()));
        called.put("singular", valid(place, "singular", names.singular(), LABEL));
        for (String shortName : resource.shortNames()) {
            Schema.add(called, "shortNames", valid(place, "shortNames", shortName, LABEL));
        }
        for (String category : resource.categories()) {
            Schema.add(called, "categories", valid(place, "categories", category, LABEL));
        }
        Map<String, Object> shared = new LinkedHashMap<>();
        shared.put("group", valid(place, "group", names.group(), SUBDOMAIN));
        shared.put("scope", names.namespaced() ? "Namespaced" : "Cluster");
        shared.put("names", called);
        return shared;
    }

    private String valid(Place place, String name, String value, Pattern pattern) {
        if (!pattern.matcher(value).matches()) {
            problems.add(place.invalid("@CustomResource " + name + " = \"" + value + "\" does not match " + pattern));
        }
        return value;
    }

    /** The API server takes some names in a URL for something else (k8s.io/apiserver, pkg/endpoints/request/requestinfo.go). */
    private String servable(Place place, String plural, boolean namespaced) {
        String meaning = switch (plural) {
            case "status", "finalize" -> namespaced ? "a part of the namespace" : "";
            case "namespaces" -> namespaced ? "" : "the namespace that objects are in";
            case "watch", "proxy" -> "a verb";
            default -> "";
        };
        if (!meaning.isEmpty()) {
            problems.add(place.invalid("@CustomResource plural = \"" + plural + "\" cannot be served: in a URL the API"
                    + " server takes it for " + meaning + "; give another plural"));
        }
        return plural;
    }

    private Map<String, Object> annotations(List<Class<?>> versions) {
        Map<String, Object> annotations = new LinkedHashMap<>();
        for (Class<?> version : versions) {
            for (String annotation : version.getAnnotation(CustomResource.class).annotations()) {
                int equals = annotation.indexOf('=');
                if (equals <= 0) {
                    problems.add(Place.of(version)
                            .invalid("@CustomResource annotations: \"" + annotation + "\" is no name=value"));
                } else {
                    annotations.put(annotation.substring(0, equals), annotation.substring(equals + 1));
                }
            }
        }
        return annotations;
    }

    private Map<String, Object> version(Class<?> type, List<String> warnings) {
        CustomResource resource = type.getAnnotation(CustomResource.class);
        Place place = Place.of(type);
        Schemas schemas = new Schemas(comments, problems);
        Map<String, Object> schema = schemas.ofObject(type);
        if (!schemas.undescribed().isEmpty()) {
            warnings.add(type.getName() + ": kubectl explain has no word of " + String.join(", ", schemas.undescribed())
                    + "; write documentation comments, or @Doc where there is no Java source");
        }
        Columns columns = new Columns(schema, place, problems);
        Map<String, Object> entry = new LinkedHashMap<>();
        entry.put("name", valid(place, "version", resource.version(), LABEL));
        entry.put("served", resource.served());
        entry.put("storage", resource.storage());
        if (type.isAnnotationPresent(Deprecated.class)) {
            entry.put("deprecated", true);
        }
        Map<String, Object> subresources = new LinkedHashMap<>();
        if (Schema.members(schema, "properties").containsKey("status")) {
            subresources.put("status", Map.of());
        }
        for (Scale scale : type.getAnnotationsByType(Scale.class)) {
            problems.gather(() -> subresources.put("scale", columns.of(scale)));
        }
        Schema.putGiven(entry, "subresources", subresources);
        Schema.putGiven(entry, "selectableFields", columns.selectable(resource.selectableFields()));
        Schema.putGiven(entry, "additionalPrinterColumns", columns.of(type));
        entry.put("schema", Map.of("openAPIV3Schema", schema));
        return entry;
    }

    /** Kubernetes' order of versions: v2, v1, v2beta1, v1beta1, v1alpha1, and all else by the alphabet. */
    static int byPriority(Class<?> a, Class<?> b) {
        int compared = Arrays.compare(priority(b), priority(a));
        return compared != 0 ? compared : versionOf(a).compareTo(versionOf(b));
    }

    private static String versionOf(Class<?> type) {
        return type.getAnnotation(CustomResource.class).version();
    }

    private static int[] priority(Class<?> type) {
        var parts = Pattern.compile("v([1-9][0-9]{0,8})(?:(alpha|beta)([1-9][0-9]{0,8}))?")
                .matcher(versionOf(type));
        if (!parts.matches()) {
            return new int[] {0, 0, 0};
        }
        int stability = parts.group(2) == null ? 3 : parts.group(2).equals("beta") ? 2 : 1;
        int minor = parts.group(3) == null ? 0 : Integer.parseInt(parts.group(3));
        return new int[] {stability, Integer.parseInt(parts.group(1)), minor};
    }
}
