package io.controllermanager.apiserver.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.http.StatusException;
import io.controllermanager.apiserver.json.Json;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * RFC 6902 as the real server has it (evanphx/json-patch): what an object has not is null, replacing adds it, an index may
 * count from the end, and what stands before a path's first slash is nothing.
 */
public final class JsonPatch {

    private static final int MAX_OPERATIONS = 10_000;
    private static final int MAX_COPIED_BYTES = 3 * 1024 * 1024;

    private JsonNode document;
    private long copiedBytes;

    private JsonPatch(JsonNode document) {
        this.document = document;
    }

    /** The container that a path ends in, and the key there. */
    private record Place(JsonNode container, String key) {

        JsonNode get() {
            JsonNode value = container instanceof ArrayNode list ? list.get(index(list.size())) : container.get(key);
            return value == null ? NullNode.instance : value;
        }

        void add(JsonNode value) {
            if (container instanceof ObjectNode object) {
                object.set(key, value);
            } else if (key.equals("-")) {
                ((ArrayNode) container).add(value);
            } else {
                ((ArrayNode) container).insert(index(container.size() + 1), value);
            }
        }

        void replace(JsonNode value) {
            if (container instanceof ArrayNode list) {
                list.set(index(list.size()), value);
            } else {
                add(value);
            }
        }

        void remove() {
            if (container instanceof ArrayNode list) {
                list.remove(index(list.size()));
            } else if (((ObjectNode) container).remove(key) == null) {
                throw StatusException.rejected();
            }
        }

        private int index(int size) {
            try {
                int index = Integer.parseInt(key);
                return Objects.checkIndex(index < 0 ? index + size : index, size);
            } catch (NumberFormatException | IndexOutOfBoundsException e) {
                throw StatusException.rejected();
            }
        }
    }

    /**
     * Gives the patched document; the one given may be changed.
     *
     * @throws StatusException 400 if this is no patch, 413 if it is too long, 422 if it does not apply
     */
    public static JsonNode apply(JsonNode document, JsonNode patch) {
        check(patch);
        JsonPatch result = new JsonPatch(document);
        patch.forEach(result::operate);
        return result.document;
    }

    private static void check(JsonNode patch) {
        boolean list = patch.isArray() || patch.isNull();
        for (JsonNode operation : patch) {
            list &= operation.isObject() || operation.isNull();
            for (String name : List.of("op", "path", "from")) {
                list &= operation.path(name).isTextual() || !operation.hasNonNull(name);
            }
        }
        if (!list) {
            throw StatusException.badRequest("error decoding patch: expected an array of operations");
        }
        if (patch.size() > MAX_OPERATIONS) {
            String allowed = "The allowed maximum operations in a JSON patch is " + MAX_OPERATIONS;
            throw StatusException.tooLarge(allowed + ", got " + patch.size());
        }
    }

    private void operate(JsonNode operation) {
        JsonNode value = operation.path("value").isMissingNode() ? NullNode.instance : operation.path("value");
        String path = operation.path("path").textValue();
        String from = operation.path("from").textValue();
        switch (operation.path("op").asText()) {
            case "add" -> place(path).add(value);
            case "remove" -> place(path).remove();
            case "replace" -> replace(path, value);
            case "move" -> {
                JsonNode moved = place(from).get();
                place(from).remove();
                place(path).add(moved);
            }
            case "copy" -> {
                JsonNode copied = place(from).get().deepCopy();
                copiedBytes += copied.isNull() ? 0 : Json.write(copied).length;
                if (copiedBytes > MAX_COPIED_BYTES) {
                    throw StatusException.rejected();
                }
                place(path).add(copied);
            }
            case "test" -> {
                JsonNode is = "".equals(path) ? document : place(path).get();
                if (!is.equals(value)) {
                    throw StatusException.rejected();
                }
            }
            default -> throw StatusException.rejected();
        }
    }

    private void replace(@Nullable String path, JsonNode value) {
        if (!"".equals(path)) {
            place(path).replace(value);
        } else if (value.isContainerNode()) {
            document = value;
        } else {
            throw StatusException.rejected();
        }
    }

    private Place place(@Nullable String path) {
        if (path == null || !path.contains("/")) {
            throw StatusException.rejected();
        }
        String[] keys = path.substring(path.indexOf('/') + 1).split("/", -1);
        JsonNode at = document;
        for (int i = 0; at.isContainerNode(); i++) {
            Place place = new Place(at, keys[i].replace("~1", "/").replace("~0", "~"));
            if (i == keys.length - 1) {
                return place;
            }
            at = place.get();
        }
        throw StatusException.rejected();
    }
}
