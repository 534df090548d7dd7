package io.controllermanager.apiserver.faults;

import io.controllermanager.apiserver.http.Request;
import java.util.List;
import java.util.Locale;

/**
 * What a request is for. Parts that it does not have are empty.
 *
 * @param verb as RBAC has it; {@code get} for discovery
 * @param path the whole path
 * @param version of the group
 * @param resource in the plural
 */
public record RequestTarget(
        String verb,
        String path,
        String group,
        String version,
        String resource,
        String namespace,
        String name,
        String subresource,
        String userAgent) {

    /** Reads it off the path, without regard to what is there. */
    public static RequestTarget of(Request request) {
        List<String> path = request.path();
        boolean core = !path.isEmpty() && path.get(0).equals("api");
        int start = core ? 2 : 3;
        boolean resource = path.size() > start && (core || path.get(0).equals("apis"));
        List<String> rest = resource ? path.subList(start, path.size()) : List.of();
        // The old form of a watch.
        boolean watch = rest.size() > 1 && rest.get(0).equals("watch");
        rest = watch ? rest.subList(1, rest.size()) : rest;
        String namespace = "";
        if (rest.size() > 2
                && rest.get(0).equals("namespaces")
                && !(rest.size() == 3 && List.of("status", "finalize").contains(rest.get(2)))) {
            namespace = rest.get(1);
            rest = rest.subList(2, rest.size());
        }
        String name = at(rest, 1);
        return new RequestTarget(
                !watch ? verb(request, resource, name) : request.method().equals("GET") ? "watch" : "",
                "/" + String.join("/", path),
                resource && !core ? path.get(1) : "",
                resource ? path.get(start - 1) : "",
                at(rest, 0),
                namespace,
                name,
                at(rest, 2),
                request.header("User-Agent"));
    }

    private static String at(List<String> list, int index) {
        return index < list.size() ? list.get(index) : "";
    }

    private static String verb(Request request, boolean resource, String name) {
        return switch (request.method()) {
            case "GET", "HEAD" -> !resource || !name.isEmpty() ? "get" : request.flag("watch") ? "watch" : "list";
            case "POST" -> "create";
            case "PUT" -> "update";
            case "DELETE" -> name.isEmpty() ? "deletecollection" : "delete";
            default -> request.method().toLowerCase(Locale.ROOT);
        };
    }

    /** The same, done otherwise. */
    public RequestTarget withVerb(String another) {
        return new RequestTarget(another, path, group, version, resource, namespace, name, subresource, userAgent);
    }

    /** {@code plural.group}. */
    public String groupResource() {
        return group.isEmpty() ? resource : resource + "." + group;
    }

    /** Whether it creates, changes or deletes. */
    public boolean isWrite() {
        return !List.of("get", "list", "watch").contains(verb);
    }
}
