package io.controllermanager.testing.apiserver.protobuf;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import java.util.function.Function;

/**
 * Writes OpenAPI v2 in protobuf, as kubectl and helm ask for it. The numbers are those of gnostic's {@code OpenAPIv2.proto};
 * what no client reads is not written.
 */
public final class OpenApiWriter {

    private OpenApiWriter() {}

    /** Writes a document. */
    public static byte[] write(JsonNode document) {
        JsonNode info = document.path("info");
        return new Message()
                .text(1, document.path("swagger"))
                .add(2, new Message().text(1, info.path("title")).text(2, info.path("version")))
                .add(8, named(2, document.path("paths"), OpenApiWriter::path))
                .add(9, named(1, document.path("definitions"), OpenApiWriter::schema))
                .bytes()
                .toByteArray();
    }

    /** A message of fields by their numbers. */
    private static final class Message {

        private final UnknownFieldSet.Builder fields = UnknownFieldSet.newBuilder();

        ByteString bytes() {
            return fields.build().toByteString();
        }

        private Message add(int number, UnknownFieldSet.Field.Builder value) {
            fields.mergeField(number, value.build());
            return this;
        }

        Message add(int number, Message message) {
            return add(number, UnknownFieldSet.Field.newBuilder().addLengthDelimited(message.bytes()));
        }

        Message text(int number, JsonNode value) {
            return text(number, value.asText());
        }

        Message text(int number, String value) {
            return add(number, UnknownFieldSet.Field.newBuilder().addLengthDelimited(ByteString.copyFromUtf8(value)));
        }

        Message texts(int number, JsonNode values) {
            values.forEach(value -> text(number, value));
            return this;
        }

        /** A whole number, or whether something is so. */
        Message whole(int number, JsonNode value) {
            long whole = value.isBoolean() ? (value.asBoolean() ? 1 : 0) : value.asLong();
            return add(number, UnknownFieldSet.Field.newBuilder().addVarint(whole));
        }

        Message real(int number, JsonNode value) {
            return add(
                    number, UnknownFieldSet.Field.newBuilder().addFixed64(Double.doubleToLongBits(value.asDouble())));
        }

        /** Any value is in YAML, which JSON is too. */
        Message extension(int number, String name, JsonNode value) {
            return add(number, new Message().text(1, name).add(2, new Message().text(2, value.toString())));
        }
    }

    /** What is a map in JSON and a list of names and values in protobuf. */
    private static Message named(int number, JsonNode map, Function<JsonNode, Message> value) {
        Message list = new Message();
        map.properties()
                .forEach(entry ->
                        list.add(number, new Message().text(1, entry.getKey()).add(2, value.apply(entry.getValue()))));
        return list;
    }

    private static Message path(JsonNode path) {
        return new Message()
                .add(2, operation(path.path("get")))
                .add(3, operation(path.path("put")))
                .add(5, operation(path.path("delete")))
                .add(8, operation(path.path("patch")));
    }

    private static Message operation(JsonNode operation) {
        Message message = new Message().texts(7, operation.path("consumes"));
        operation
                .path("parameters")
                .forEach(parameter -> message.add(
                        8,
                        // An item that is a parameter that is not of the body but of the query.
                        new Message().add(1, new Message().add(2, new Message().add(3, parameter(parameter))))));
        message.add(
                9,
                named(
                        1,
                        operation.path("responses"),
                        response -> new Message().add(1, new Message().text(1, response.path("description")))));
        operation.properties().stream()
                .filter(field -> field.getKey().startsWith("x-"))
                .forEach(field -> message.extension(13, field.getKey(), field.getValue()));
        return message;
    }

    private static Message parameter(JsonNode parameter) {
        return new Message()
                .text(2, parameter.path("in"))
                .text(4, parameter.path("name"))
                .text(6, parameter.path("type"));
    }

    private static Message schema(JsonNode schema) {
        Message message = new Message();
        schema.properties().forEach(keyword -> keyword(message, keyword.getKey(), keyword.getValue()));
        return message;
    }

    private static Message keyword(Message message, String name, JsonNode value) {
        return switch (name) {
            case "$ref" -> message.text(1, value);
            case "format" -> message.text(2, value);
            case "title" -> message.text(3, value);
            case "description" -> message.text(4, value);
            case "multipleOf" -> message.real(6, value);
            case "maximum" -> message.real(7, value);
            case "exclusiveMaximum" -> message.whole(8, value);
            case "minimum" -> message.real(9, value);
            case "exclusiveMinimum" -> message.whole(10, value);
            case "maxLength" -> message.whole(11, value);
            case "minLength" -> message.whole(12, value);
            case "pattern" -> message.text(13, value);
            case "maxItems" -> message.whole(14, value);
            case "minItems" -> message.whole(15, value);
            case "uniqueItems" -> message.whole(16, value);
            case "maxProperties" -> message.whole(17, value);
            case "minProperties" -> message.whole(18, value);
            case "required" -> message.texts(19, value);
            case "additionalProperties" ->
                message.add(
                        21, value.isBoolean() ? new Message().whole(2, value) : new Message().add(1, schema(value)));
            case "type" -> message.add(22, new Message().text(1, value));
            case "items" -> message.add(23, new Message().add(1, schema(value)));
            case "properties" -> message.add(25, named(1, value, OpenApiWriter::schema));
            default -> name.startsWith("x-") ? message.extension(31, name, value) : message;
        };
    }
}
