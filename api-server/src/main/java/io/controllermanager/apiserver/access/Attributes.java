package io.controllermanager.apiserver.access;

import io.controllermanager.apiserver.faults.RequestTarget;
import io.controllermanager.apiserver.http.Request;
import io.controllermanager.apiserver.http.StatusException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What someone wants to do, in RBAC's words (apiserver, pkg/endpoints/request/requestinfo.go). Parts that it does not have
 * are empty.
 *
 * @param resource empty if it is none that is asked for, but the path
 * @param name of a list or watch too, if it selects one object by its name
 */
record Attributes(
        User user,
        String verb,
        String group,
        String resource,
        String subresource,
        String namespace,
        String name,
        String path) {

    private static final Pattern BY_NAME = Pattern.compile("(?:.*,)?metadata\\.name==?([^,=!/%]+)(?:,.*)?");

    static Attributes of(User user, Request request, RequestTarget target) {
        String path = "/" + String.join("/", request.url().pathSegments());
        boolean isResource = !target.resource().isEmpty();
        String verb = isResource ? target.verb() : request.method().toLowerCase(Locale.ROOT);
        // A namespace is in itself.
        String namespace = target.resource().equals("namespaces") ? target.name() : target.namespace();
        String name = target.name();
        if (verb.equals("list") || verb.equals("watch")) {
            Matcher selected = BY_NAME.matcher(request.parameter("fieldSelector"));
            name = selected.matches() ? selected.group(1) : "";
        }
        return new Attributes(
                user, verb, target.group(), target.resource(), target.subresource(), namespace, name, path);
    }

    boolean isResource() {
        return !resource.isEmpty();
    }

    /** The resource and its subresource, as rules name them. */
    String combinedResource() {
        return subresource.isEmpty() ? resource : resource + "/" + subresource;
    }

    Attributes withVerb(String another) {
        return new Attributes(user, another, group, resource, subresource, namespace, name, path);
    }

    /** The refusal. The reason is what else there is to say of it, and may be empty. */
    StatusException forbidden(String reason) {
        String where = namespace.isEmpty() ? " at the cluster scope" : " in the namespace " + quoted(namespace);
        String resources = " resource " + quoted(combinedResource()) + " in API group " + quoted(group) + where;
        String what = isResource() ? resources : " path " + quoted(path);
        String message = "User " + quoted(user.name()) + " cannot " + verb + what;
        // What looks like HTML is made harmless.
        String harmless = message.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
        String groupResource = group.isEmpty() ? resource : resource + "." + group;
        return StatusException.forbidden(groupResource, name, harmless + (reason.isEmpty() ? "" : ": " + reason));
    }

    static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
