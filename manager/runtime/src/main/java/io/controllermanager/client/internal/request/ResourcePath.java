package io.controllermanager.client.internal.request;

import io.controllermanager.client.ResourceType;
import io.kubernetes.client.common.KubernetesObject;
import java.util.ArrayList;
import java.util.List;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;

/**
 * What a URL of the API server is for: a collection, an object or a part of one. Read as the API server does (apiserver's
 * {@code endpoints/request/requestinfo.go}).
 *
 * @param group the API group, empty for the core group
 * @param version the version
 * @param plural the type's name
 * @param namespace null for all, or for a type whose objects live in none
 * @param name the object's name, null for the collection, as when an object is created
 * @param subresource null for the object itself
 */
public record ResourcePath(
        String group,
        String version,
        String plural,
        @Nullable String namespace,
        @Nullable String name,
        @Nullable String subresource) {

    /**
     * Reads a URL; null if it is not one of a collection or an object.
     *
     * @param server the API server's URL, whose path all others begin with; it has one behind a proxy. Null if it has none
     */
    public static @Nullable ResourcePath of(HttpUrl url, @Nullable HttpUrl server) {
        List<String> prefix = server == null ? List.of() : segments(server);
        List<String> path = segments(url);
        if (path.size() <= prefix.size() || !path.subList(0, prefix.size()).equals(prefix)) {
            return null;
        }
        List<String> rest = path.subList(prefix.size(), path.size());
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

    private static List<String> segments(HttpUrl url) {
        List<String> segments = new ArrayList<>(url.pathSegments());
        segments.removeIf(String::isEmpty);
        return segments;
    }

    private static ResourcePath of(String group, String version, List<String> rest) {
        boolean namespaced = rest.size() >= 3 && rest.get(0).equals("namespaces") && !isPartOfNamespace(rest.get(2));
        String namespace = namespaced ? rest.get(1) : null;
        List<String> object = namespaced ? rest.subList(2, rest.size()) : rest;
        return new ResourcePath(
                group,
                version,
                object.get(0),
                namespace,
                object.size() > 1 ? object.get(1) : null,
                object.size() > 2 ? String.join("/", object.subList(2, object.size())) : null);
    }

    /** The subresources of namespaces, whose paths look like those of types. */
    private static boolean isPartOfNamespace(String name) {
        return name.equals("status") || name.equals("finalize");
    }

    /** Whether this is about the type's objects. */
    public boolean isOf(ResourceType<?> type) {
        return type.group().equals(group)
                && type.version().equals(version)
                && type.plural().equals(plural);
    }

    /** The type as far as a URL tells: its kind is unknown. */
    public ResourceType<?> type() {
        return ResourceType.namespaced(KubernetesObject.class, group, version, "", plural);
    }

    /** Whether what answers is not the API server but a pod, a service or a node, with whatever it likes. */
    public boolean isProxied() {
        return subresource != null && (subresource.equals("proxy") || subresource.startsWith("proxy/"));
    }
}
