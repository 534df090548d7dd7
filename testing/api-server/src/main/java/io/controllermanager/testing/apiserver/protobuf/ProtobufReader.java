package io.controllermanager.testing.apiserver.protobuf;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import io.controllermanager.testing.apiserver.json.Json;
import io.controllermanager.testing.apiserver.protobuf.Messages.Field;
import io.kubernetes.client.proto.IntStr.IntOrString;
import io.kubernetes.client.proto.Meta;
import io.kubernetes.client.proto.Resource.Quantity;
import io.kubernetes.client.proto.Runtime.RawExtension;
import io.kubernetes.client.proto.Runtime.Unknown;
import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Base64;
import java.util.Locale;

/**
 * Reads objects in protobuf into what Go would write of them in JSON. Fields that are not known are passed over, as Go's
 * decoder does, and times that are not set are null. Any number of threads may use it.
 *
 * @see <a href="https://kubernetes.io/docs/reference/using-api/api-concepts/#protobuf-encoding">the encoding</a>
 */
public final class ProtobufReader {

    private static final byte[] MAGIC = {'k', '8', 's', 0};
    private static final DateTimeFormatter MICROS = DateTimeFormatter.ofPattern(
                    "uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);
    /** Up to here each whole number is a double of its own. */
    private static final double EXACT = 1L << 53;

    private ProtobufReader() {}

    /** The table, read with the first object in protobuf. */
    private static final class Table {

        private static final Messages MESSAGES = new Messages();
    }

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
        String message = Table.MESSAGES.of(ofVersion, ofKind);
        if (message == null) {
            throw new InvalidProtocolBufferException(
                    "no kind \"" + ofKind + "\" is registered for version \"" + ofVersion + "\"");
        }
        ObjectNode object = Json.object().put("kind", ofKind).put("apiVersion", ofVersion);
        return object.setAll(message(message, envelope.getRaw()));
    }

    private static ObjectNode message(String message, ByteString bytes) throws IOException {
        ObjectNode object = Json.object();
        CodedInputStream in = bytes.newCodedInput();
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            Field field = Table.MESSAGES.fields(message).get(WireFormat.getTagFieldNumber(tag));
            if (field == null) {
                in.skipField(tag);
                continue;
            }
            switch (field.shape()) {
                case SINGLE -> set(object, field, value(field.type(), in, tag));
                case LIST -> append(object, field, in, tag);
                case MAP -> put(object, field, in, tag);
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

    private static void append(ObjectNode object, Field field, CodedInputStream in, int tag) throws IOException {
        ArrayNode list = object.withArrayProperty(field.name());
        boolean packed =
                field.type().equals("int") && WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_LENGTH_DELIMITED;
        if (!packed) {
            list.add(value(field.type(), in, tag));
            return;
        }
        CodedInputStream numbers = in.readBytes().newCodedInput();
        while (!numbers.isAtEnd()) {
            list.add(number(numbers.readInt64()));
        }
    }

    private static void put(ObjectNode object, Field field, CodedInputStream in, int tag) throws IOException {
        expect(tag, WireFormat.WIRETYPE_LENGTH_DELIMITED);
        String key = "";
        JsonNode value = delimited(field.type(), ByteString.EMPTY);
        CodedInputStream entry = in.readBytes().newCodedInput();
        for (int part = entry.readTag(); part != 0; part = entry.readTag()) {
            switch (WireFormat.getTagFieldNumber(part)) {
                case 1 -> key = value("string", entry, part).textValue();
                case 2 -> value = value(field.type(), entry, part);
                default -> entry.skipField(part);
            }
        }
        object.withObjectProperty(field.name()).set(key, value);
    }

    private static JsonNode value(String type, CodedInputStream in, int tag) throws IOException {
        switch (type) {
            case "bool" -> {
                expect(tag, WireFormat.WIRETYPE_VARINT);
                return BooleanNode.valueOf(in.readBool());
            }
            case "int" -> {
                expect(tag, WireFormat.WIRETYPE_VARINT);
                return number(in.readInt64());
            }
            case "double" -> {
                expect(tag, WireFormat.WIRETYPE_FIXED64);
                double number = in.readDouble();
                boolean whole = number == Math.rint(number) && Math.abs(number) <= EXACT;
                return whole ? number((long) number) : DoubleNode.valueOf(number);
            }
            default -> {
                expect(tag, WireFormat.WIRETYPE_LENGTH_DELIMITED);
                return delimited(type, in.readBytes());
            }
        }
    }

    /** What has a length of its own: text, bytes, and messages, among them those that Go writes in ways of their own. */
    private static JsonNode delimited(String type, ByteString bytes) throws IOException {
        return switch (type) {
            case "string" -> TextNode.valueOf(bytes.toStringUtf8());
            case "bytes" -> TextNode.valueOf(Base64.getEncoder().encodeToString(bytes.toByteArray()));
            case "Time" ->
                bytes.isEmpty()
                        ? NullNode.getInstance()
                        : TextNode.valueOf(
                                Instant.ofEpochSecond(Meta.Time.parseFrom(bytes).getSeconds())
                                        .toString());
            case "MicroTime" -> {
                Meta.MicroTime time = Meta.MicroTime.parseFrom(bytes);
                yield bytes.isEmpty()
                        ? NullNode.getInstance()
                        : TextNode.valueOf(MICROS.format(Instant.ofEpochSecond(time.getSeconds(), time.getNanos())));
            }
            case "Quantity" -> {
                String quantity = Quantity.parseFrom(bytes).getString();
                yield TextNode.valueOf(quantity.isEmpty() ? "0" : quantity);
            }
            case "IntOrString" -> {
                IntOrString either = IntOrString.parseFrom(bytes);
                yield either.getType() == 0 ? number(either.getIntVal()) : TextNode.valueOf(either.getStrVal());
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

    private static void expect(int tag, int wireType) throws InvalidProtocolBufferException {
        if (WireFormat.getTagWireType(tag) != wireType) {
            throw new InvalidProtocolBufferException("wrong wireType = " + WireFormat.getTagWireType(tag)
                    + " for field " + WireFormat.getTagFieldNumber(tag));
        }
    }
}
