package io.controllermanager.app.rights;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What one user has asked the API server for, by its audit log. For one thread. */
final class AuditTrail {

    private static final int BAD_REQUEST = 400;
    private static final int FORBIDDEN = 403;
    private static final Set<String> WRITES = Set.of("create", "update", "patch", "delete", "deletecollection");

    private final Path log;
    private final String user;
    private final List<Request> requests = new ArrayList<>();
    private long read;

    /** From the beginning of the log. */
    AuditTrail(Path log, String user) {
        this.log = log;
        this.user = user;
    }

    /**
     * One line of the log.
     *
     * @param right what it needed; null for a path that is no resource, such as discovery
     * @param uri what was asked for
     * @param code of the answer
     */
    record Request(@Nullable Right right, String uri, int code) {

        boolean isForbidden() {
            return code == FORBIDDEN;
        }

        /** Whether something was created, changed or deleted, or was to be and was not different. */
        boolean isWrite() {
            return right != null && code < BAD_REQUEST && WRITES.contains(right.verb());
        }
    }

    /** All so far. */
    List<Request> requests() {
        for (String line : newLines()) {
            // Cheaper than to parse what others did.
            if (line.contains(user)) {
                JsonObject event = JsonParser.parseString(line).getAsJsonObject();
                if (text(event.getAsJsonObject("user"), "username").equals(user)) {
                    requests.add(request(event));
                }
            }
        }
        return List.copyOf(requests);
    }

    /** Those that were refused, as a person reads them. */
    List<String> forbidden() {
        return requests().stream()
                .filter(Request::isForbidden)
                .map(request -> request.right() + ": " + request.uri())
                .toList();
    }

    /** What was needed for those that were not refused. */
    Set<Right> used() {
        return requests().stream()
                .filter(request -> !request.isForbidden() && request.right() != null)
                .map(Request::right)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Those of the given rights that nothing was asked for that was not refused, in their order. */
    Set<Right> unused(Collection<Right> granted) {
        Set<Right> used = used();
        return granted.stream()
                .filter(right -> used.stream().noneMatch(right::covers))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** How often something was refused. */
    long refusals(Right right) {
        return requests().stream()
                .filter(request -> request.isForbidden() && request.right() != null && right.covers(request.right()))
                .count();
    }

    private static Request request(JsonObject event) {
        JsonObject object = event.getAsJsonObject("objectRef");
        JsonObject status = event.getAsJsonObject("responseStatus");
        int code =
                status == null || !status.has("code") ? 0 : status.get("code").getAsInt();
        return new Request(object == null ? null : right(event, object), text(event, "requestURI"), code);
    }

    private static Right right(JsonObject event, JsonObject object) {
        String subresource = text(object, "subresource");
        String verb = text(event, "verb");
        return new Right(
                text(object, "namespace"),
                text(object, "apiGroup"),
                text(object, "resource") + (subresource.isEmpty() ? "" : "/" + subresource),
                verb,
                // RBAC cannot limit this one by name.
                verb.equals("create") ? "" : text(object, "name"));
    }

    private static String text(JsonObject object, String member) {
        JsonElement value = object.get(member);
        return value == null ? "" : value.getAsString();
    }

    private List<String> newLines() {
        try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
            file.seek(read);
            byte[] bytes = new byte[(int) (file.length() - read)];
            file.readFully(bytes);
            // The API server may be in the middle of the last line.
            int end = bytes.length;
            while (end > 0 && bytes[end - 1] != '\n') {
                end--;
            }
            read += end;
            return new String(bytes, 0, end, StandardCharsets.UTF_8).lines().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
