package io.controllermanager.apiserver.protobuf;

import com.fasterxml.jackson.databind.JsonNode;
import io.controllermanager.apiserver.json.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The messages of Kubernetes' API: which field has which number, and how it stands in JSON. */
final class Messages {

    private final JsonNode table = Json.resource(Messages.class, "messages.json");

    /**
     * A field of a message.
     *
     * @param name empty for one whose own fields stand in JSON where it would
     * @param nonzero left out of JSON when it is empty, false or 0
     * @param type {@code string}, {@code bytes}, {@code bool}, {@code int}, {@code double}, or a message
     */
    record Field(String name, boolean nonzero, boolean list, boolean map, String type) {

        /** Reads what the table says of it, such as {@code labels map string}. */
        static Field parse(String text) {
            List<String> words = List.of(text.split(" "));
            String name = words.contains("inline") ? "" : words.get(0);
            String type = words.get(words.size() - 1);
            return new Field(name, words.contains("nonzero"), words.contains("list"), words.contains("map"), type);
        }
    }

    /** The message of a kind, or null. */
    @Nullable
    String of(String apiVersion, String kind) {
        // What is asked along with a deletion goes by the version of what is deleted.
        String version = kind.equals("DeleteOptions") ? "v1" : apiVersion;
        return table.path("kinds").path(version + "/" + kind).textValue();
    }

    /** A field of a message by its number; null for one that is not known. */
    @Nullable
    Field field(String message, int number) {
        JsonNode fields = table.path("messages").path(message);
        String row = fields.path(Integer.toString(number)).textValue();
        return row == null ? null : Field.parse(row);
    }
}
