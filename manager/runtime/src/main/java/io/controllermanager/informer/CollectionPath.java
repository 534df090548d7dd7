package io.controllermanager.informer;

import io.controllermanager.client.ResourceType;
import java.util.List;
import java.util.Set;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;

/**
 * What a request's URL says it lists.
 *
 * @param group the API group, empty for the core group
 * @param version the version
 * @param plural the type's name
 * @param namespace null for all
 * @param selective whether the URL asks for some objects only, or for anything else that is special
 */
record CollectionPath(
        String group,
        String version,
        String plural,
        @Nullable String namespace,
        boolean selective) {

    /** Parameters that say how to list and not what. */
    private static final Set<String> PLAIN = Set.of(
            "allowWatchBookmarks",
            "continue",
            "limit",
            "pretty",
            "resourceVersion",
            "resourceVersionMatch",
            "sendInitialEvents",
            "timeoutSeconds",
            "watch");

    /** Whether a query parameter says how to list and not what. */
    static boolean isPlain(String parameter) {
        return PLAIN.contains(parameter);
    }

    /** Reads a URL; null if it is not that of a collection. */
    static @Nullable CollectionPath of(HttpUrl url) {
        List<String> segments = url.pathSegments();
        // A server behind a proxy may have a path of its own before the API's.
        int api = Math.max(segments.lastIndexOf("api"), segments.lastIndexOf("apis"));
        if (api < 0) {
            return null;
        }
        boolean core = segments.get(api).equals("api");
        List<String> rest = segments.subList(api + 1, segments.size());
        int names = core ? 1 : 2;
        if (rest.size() <= names) {
            return null;
        }
        String group = core ? "" : rest.get(0);
        String version = rest.get(names - 1);
        List<String> path = rest.subList(names, rest.size());
        boolean selective = !PLAIN.containsAll(url.queryParameterNames());
        if (path.size() == 1) {
            return new CollectionPath(group, version, path.get(0), null, selective);
        }
        if (path.size() == 3 && path.get(0).equals("namespaces")) {
            return new CollectionPath(group, version, path.get(2), path.get(1), selective);
        }
        return null;
    }

    /** Whether this is the type's own collection. */
    boolean isOf(ResourceType<?> type) {
        return type.group().equals(group)
                && type.version().equals(version)
                && type.plural().equals(plural);
    }

    /** As {@link ResourceType#qualifiedName}. */
    String qualifiedName() {
        return group.isEmpty() ? plural : plural + "." + group;
    }
}
