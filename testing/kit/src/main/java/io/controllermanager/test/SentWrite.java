package io.controllermanager.test;

import io.controllermanager.apiserver.json.Json;
import io.controllermanager.client.internal.request.ResourcePath;
import java.io.IOException;
import java.util.List;
import okhttp3.Request;
import okio.Buffer;
import org.jspecify.annotations.Nullable;

/**
 * A write that a controller sends. It is told from others by what it is and how often it has been sent, since several workers
 * write in another order each time.
 *
 * @param method POST, PUT, PATCH or DELETE
 * @param path the object's own, without subresource; the collection's where the server is to make up a name
 * @param what such as {@code update websites/status default/hello}
 * @param turn 1 for the first such write of a play, 2 for the second
 */
record SentWrite(String method, String path, String what, int turn) {

    /** Reads the first one off a request; null if that is no write, a dry run, or one of an Event or a Lease. */
    static @Nullable SentWrite of(Request request) {
        String verb = switch (request.method()) {
            case "POST" -> "create";
            case "PUT" -> "update";
            case "PATCH" -> "patch";
            case "DELETE" -> "delete";
            default -> "";
        };
        ResourcePath path = ResourcePath.of(request.url(), null);
        if (verb.isEmpty()
                || path == null
                || Writes.NOT_COUNTED.contains(
                        path.group().isEmpty() ? path.plural() : path.plural() + "." + path.group())
                || request.url().queryParameter("dryRun") != null) {
            return null;
        }
        String name = path.name() == null ? nameIn(request) : path.name();
        String subresource = path.subresource() == null ? "" : "/" + path.subresource();
        String namespace = path.namespace() == null ? "" : path.namespace() + "/";
        return new SentWrite(
                request.method(),
                path.type().path(path.namespace()) + (name.isEmpty() ? "" : "/" + name),
                verb + " " + path.plural() + subresource + " " + namespace + name,
                1);
    }

    /** The same, as the next one after those that have been sent. */
    SentWrite after(List<SentWrite> sent) {
        int same = (int) sent.stream()
                .filter(other -> other.what.equals(what) && other.path.equals(path))
                .count();
        return new SentWrite(method, path, what, same + 1);
    }

    private static String nameIn(Request request) {
        if (request.body() == null) {
            return "";
        }
        try (Buffer body = new Buffer()) {
            request.body().writeTo(body);
            return Json.read(body.readByteArray()).path("metadata").path("name").asText("");
        } catch (IOException e) {
            return ""; // Not JSON.
        }
    }

    @Override
    public String toString() {
        return what;
    }
}
