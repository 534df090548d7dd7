package io.controllermanager.apiserver.protobuf;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.UnknownFieldSet.Field;
import io.controllermanager.apiserver.json.Json;
import java.util.List;

/** Writes OpenAPI v2 in protobuf, as kubectl and helm ask for it, by a table of what clients read. */
public final class OpenApiWriter {

    private static final JsonNode MESSAGES = Json.resource(OpenApiWriter.class, "openapi-v2.yaml");

    private OpenApiWriter() {}

    /** Writes a document. */
    public static byte[] write(JsonNode document) {
        return message("Document", document).toByteArray();
    }

    private static ByteString message(String type, JsonNode json) {
        UnknownFieldSet.Builder message = UnknownFieldSet.newBuilder();
        json.properties().forEach(field -> {
            JsonNode value = field.getValue();
            String key = field.getKey();
            boolean mayBeBoth = value.isBoolean() && MESSAGES.path(type).has(key + "?");
            String name = key.startsWith("x-") ? "x-" : mayBeBoth ? key + "?" : key;
            String row = MESSAGES.path(type).path(name).asText();
            if (!row.isEmpty()) {
                List<String> words = List.of(row.split(" "));
                String[] numbers = words.get(0).split("\\.", -1);
                write(message, numbers, words.subList(1, words.size()), key, value);
            }
        });
        return message.build().toByteString();
    }

    private static void write(
            UnknownFieldSet.Builder message, String[] numbers, List<String> words, String name, JsonNode value) {
        String type = words.get(words.size() - 1);
        int number = Integer.parseInt(numbers[0]);
        if (words.contains("named")) {
            UnknownFieldSet.Builder list = UnknownFieldSet.newBuilder();
            value.properties().forEach(entry -> {
                Field.Builder one = delimited(pair(entry.getKey(), message(type, entry.getValue())));
                list.mergeField(Integer.parseInt(numbers[1]), one.build());
            });
            message.mergeField(number, delimited(list.build().toByteString()).build());
            return;
        }
        List<JsonNode> items = value.isArray() && !type.equals("any") ? Json.list(value) : List.of(value);
        items.forEach(item -> message.mergeField(
                number, around(numbers, field(type, name, item)).build()));
    }

    private static Field.Builder field(String type, String name, JsonNode value) {
        return switch (type) {
            case "text" -> delimited(ByteString.copyFromUtf8(value.asText()));
            case "whole" -> Field.newBuilder().addVarint(value.asLong());
            case "real" -> Field.newBuilder().addFixed64(Double.doubleToLongBits(value.asDouble()));
            // It is in YAML, which JSON is too.
            case "any" -> delimited(pair(name, one(2, delimited(ByteString.copyFromUtf8(value.toString())))));
            default -> delimited(message(type, value));
        };
    }

    /** A field in the messages around it, for the outermost of them. */
    private static Field.Builder around(String[] numbers, Field.Builder field) {
        Field.Builder whole = field;
        for (int i = numbers.length - 1; i > 0; i--) {
            whole = delimited(one(Integer.parseInt(numbers[i]), whole));
        }
        return whole;
    }

    private static Field.Builder delimited(ByteString bytes) {
        return Field.newBuilder().addLengthDelimited(bytes);
    }

    private static ByteString one(int number, Field.Builder field) {
        UnknownFieldSet.Builder message = UnknownFieldSet.newBuilder().addField(number, field.build());
        return message.build().toByteString();
    }

    private static ByteString pair(String name, ByteString value) {
        return one(1, delimited(ByteString.copyFromUtf8(name))).concat(one(2, delimited(value)));
    }
}
