package io.controllermanager.apiserver.protobuf;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.protobuf.Messages.Field;
import io.kubernetes.client.proto.IntStr.IntOrString;
import io.kubernetes.client.proto.Meta;
import io.kubernetes.client.proto.Resource.Quantity;
import io.kubernetes.client.proto.Runtime.RawExtension;
import io.kubernetes.client.proto.Runtime.Unknown;
import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Reads objects in protobuf into what Go would write of them in JSON. Fields that are not known are passed over, as Go's
 * decoder does, and times that are not set are null. Any number of threads may use it.
 *
 * @see <a href="https://kubernetes.io/docs/reference/using-api/api-concepts/#protobuf-encoding">the encoding</a>
 */
public final class ProtobufReader {

    private static final Messages MESSAGES = new Messages();
    private static final byte[] MAGIC = {'k', '8', 's', 0};
    private static final DateTimeFormatter MICROS = DateTimeFormatter.ofPattern(
                    "uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);
    /** Up to here each whole number is a double of its own. */
    private static final double EXACT = 1L << 53;

    private ProtobufReader() {}

    /**
     * Reads an object.
     *
     * @param apiVersion what it is of where it does not say so itself
     * @param kind the same
     * @throws IOException if that is no object in protobuf, or one of a kind that is not known
     */
    public static ObjectNode read(byte[] body, String apiVersion, String kind) throws IOException {
        if (body.length <= MAGIC.length || Arrays.mismatch(body, MAGIC) != MAGIC.length) {
            throw new InvalidProtocolBufferException(
                    "provided data does not appear to be a protobuf message, expected prefix k8s\\x00");
        }
        Unknown envelope = Unknown.parseFrom(ByteString.copyFrom(body, MAGIC.length, body.length - MAGIC.length));
        String saidVersion = envelope.getTypeMeta().getApiVersion();
        String saidKind = envelope.getTypeMeta().getKind();
        String ofVersion = saidVersion.isEmpty() ? apiVersion : saidVersion;
        String ofKind = saidKind.isEmpty() ? kind : saidKind;
        String message = MESSAGES.of(ofVersion, ofKind);
        if (message == null) {
            throw new InvalidProtocolBufferException(
                    "no kind \"" + ofKind + "\" is registered for version \"" + ofVersion + "\"");
        }
        ObjectNode object = Json.object().put("kind", ofKind).put("apiVersion", ofVersion);
        return object.setAll(message(message, envelope.getRaw()));
    }

    private static ObjectNode message(String message, ByteString bytes) throws IOException {
        ObjectNode object = Json.object();
        for (Map.Entry<Integer, UnknownFieldSet.Field> sent :
                UnknownFieldSet.parseFrom(bytes).asMap().entrySet()) {
            Field field = MESSAGES.field(message, sent.getKey());
            if (field == null) {
                continue;
            }
            List<JsonNode> values = values(field, sent.getValue());
            if (values.isEmpty()) {
                throw new InvalidProtocolBufferException("wrong wireType for field " + field.name());
            }
            if (field.list()) {
                object.putArray(field.name()).addAll(values);
            } else if (field.map()) {
                ObjectNode map = object.putObject(field.name());
                values.forEach(entry -> map.setAll((ObjectNode) entry));
            } else {
                set(object, field, values.get(values.size() - 1));
            }
        }
        return object;
    }

    private static void set(ObjectNode object, Field field, JsonNode value) {
        if (field.name().isEmpty()) {
            object.setAll((ObjectNode) value);
        } else if (!field.nonzero()
                || value.asBoolean()
                || (value.isTextual() && !value.textValue().isEmpty())) {
            object.set(field.name(), value);
        } else {
            object.remove(field.name());
        }
    }

    /** What was sent for a field, in its order. */
    private static List<JsonNode> values(Field field, UnknownFieldSet.Field sent) throws IOException {
        List<JsonNode> values = new ArrayList<>();
        switch (field.type()) {
            case "bool" -> sent.getVarintList().forEach(bit -> values.add(BooleanNode.valueOf(bit != 0)));
            case "int" -> {
                sent.getVarintList().forEach(number -> values.add(number(number)));
                for (ByteString packed : field.list() ? sent.getLengthDelimitedList() : List.<ByteString>of()) {
                    CodedInputStream numbers = packed.newCodedInput();
                    while (!numbers.isAtEnd()) {
                        values.add(number(numbers.readInt64()));
                    }
                }
            }
            case "double" -> sent.getFixed64List().forEach(bits -> values.add(number(Double.longBitsToDouble(bits))));
            default -> {
                for (ByteString bytes : sent.getLengthDelimitedList()) {
                    values.add(field.map() ? entry(field, bytes) : delimited(field.type(), bytes));
                }
            }
        }
        return values;
    }

    /** An entry of a map, as an object of its own. */
    private static ObjectNode entry(Field field, ByteString bytes) throws IOException {
        ObjectNode entry = Json.object();
        UnknownFieldSet sent = UnknownFieldSet.parseFrom(bytes);
        List<ByteString> key = sent.getField(1).getLengthDelimitedList();
        List<ByteString> value = sent.getField(2).getLengthDelimitedList();
        return entry.set(
                key.isEmpty() ? "" : key.get(0).toStringUtf8(),
                delimited(field.type(), value.isEmpty() ? ByteString.EMPTY : value.get(0)));
    }

    /** What has a length of its own: text, bytes, and messages, among them those that Go writes in ways of their own. */
    private static JsonNode delimited(String type, ByteString bytes) throws IOException {
        return switch (type) {
            case "string" -> Json.text(bytes.toStringUtf8());
            case "bytes" -> Json.text(Base64.getEncoder().encodeToString(bytes.toByteArray()));
            case "Time" -> {
                Instant time = Instant.ofEpochSecond(Meta.Time.parseFrom(bytes).getSeconds());
                yield bytes.isEmpty() ? NullNode.getInstance() : Json.text(time.toString());
            }
            case "MicroTime" -> {
                Meta.MicroTime sent = Meta.MicroTime.parseFrom(bytes);
                Instant time = Instant.ofEpochSecond(sent.getSeconds(), sent.getNanos());
                yield bytes.isEmpty() ? NullNode.getInstance() : Json.text(MICROS.format(time));
            }
            case "Quantity" -> {
                String quantity = Quantity.parseFrom(bytes).getString();
                yield Json.text(quantity.isEmpty() ? "0" : quantity);
            }
            case "IntOrString" -> {
                IntOrString either = IntOrString.parseFrom(bytes);
                yield either.getType() == 0 ? number(either.getIntVal()) : Json.text(either.getStrVal());
            }
            case "Raw" -> {
                ByteString json = RawExtension.parseFrom(bytes).getRaw();
                yield json.isEmpty() ? NullNode.getInstance() : Json.read(json.toByteArray());
            }
            case "SchemaOrBool" -> {
                ObjectNode either = message(type, bytes);
                yield either.has("schema")
                        ? either.path("schema")
                        : BooleanNode.valueOf(either.path("allows").asBoolean());
            }
            case "Strings" -> message(type, bytes).withArrayProperty("items");
            case "SchemaOrArray", "SchemaOrStrings" -> {
                ObjectNode either = message(type, bytes);
                yield either.path(either.has("all") ? "all" : "schema");
            }
            default -> message(type, bytes);
        };
    }

    /** A number of the width in which JSON's parser gives it. */
    private static JsonNode number(long number) {
        return number == (int) number ? IntNode.valueOf((int) number) : LongNode.valueOf(number);
    }

    private static JsonNode number(double number) {
        boolean whole = number == Math.rint(number) && Math.abs(number) <= EXACT;
        return whole ? number((long) number) : DoubleNode.valueOf(number);
    }
}
