package io.controllermanager.informer;

import java.util.List;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;

/**
 * What a write's URL says was written.
 *
 * @param group the API group, empty for the core group
 * @param version the version
 * @param plural the type's name
 * @param namespace null for a type whose objects live in none
 * @param name the object's name, null for the collection, as when an object is created
 * @param subresource null for the object itself
 */
record WrittenPath(
        String group,
        String version,
        String plural,
        @Nullable String namespace,
        @Nullable String name,
        @Nullable String subresource) {

    /**
     * Reads a URL; null if it is not one of an object or a collection.
     *
     * @param serverPath what all paths of the API server begin with, more than {@code /} where it stands behind a proxy;
     *     ends with a slash
     */
    static @Nullable WrittenPath of(HttpUrl url, String serverPath) {
        String path = url.encodedPath();
        if (!path.startsWith(serverPath)) {
            return null;
        }
        int skipped = (int) serverPath.chars().filter(c -> c == '/').count() - 1;
        List<String> segments = url.pathSegments();
        if (segments.size() <= skipped) {
            return null;
        }
        List<String> rest = segments.subList(skipped, segments.size());
        int names = switch (rest.get(0)) {
            case "api" -> 2;
            case "apis" -> 3;
            default -> rest.size();
        };
        if (rest.size() <= names) {
            return null;
        }
        String group = names == 2 ? "" : rest.get(1);
        return of(group, rest.get(names - 1), rest.subList(names, rest.size()));
    }

    private static WrittenPath of(String group, String version, List<String> rest) {
        boolean namespaced = rest.size() >= 3 && rest.get(0).equals("namespaces") && !isPartOfNamespace(rest.get(2));
        String namespace = namespaced ? rest.get(1) : null;
        List<String> object = namespaced ? rest.subList(2, rest.size()) : rest;
        return new WrittenPath(
                group,
                version,
                object.get(0),
                namespace,
                object.size() > 1 ? object.get(1) : null,
                object.size() > 2 ? String.join("/", object.subList(2, object.size())) : null);
    }

    /** Whether what answers is not the API server but a pod, a service or a node, with whatever it likes. */
    boolean isProxied() {
        return subresource != null && (subresource.equals("proxy") || subresource.startsWith("proxy/"));
    }

    /** The subresources of namespaces, whose paths look like those of types. */
    private static boolean isPartOfNamespace(String name) {
        return name.equals("status") || name.equals("finalize");
    }
}
