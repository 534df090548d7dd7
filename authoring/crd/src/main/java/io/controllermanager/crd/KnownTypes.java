package io.controllermanager.crd;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1Condition;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The classes whose JSON is not that of their fields. What client-java's Gson cannot read is not among them. */
final class KnownTypes {

    /** As controller-gen writes it: apimachinery's {@code resource.Quantity}. */
    private static final String QUANTITY = "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|"
            + "([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$";

    /** The API server's format takes one without dashes as well, and Java does not. */
    private static final String UUID_WITH_DASHES = "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$";

    private static final Map<Class<?>, Map<String, Object>> SCHEMAS = Map.ofEntries(
            Map.entry(String.class, Schema.type("string")),
            Map.entry(boolean.class, Schema.type("boolean")),
            Map.entry(Boolean.class, Schema.type("boolean")),
            Map.entry(short.class, shortInteger()),
            Map.entry(Short.class, shortInteger()),
            Map.entry(int.class, Schema.type("integer", "int32")),
            Map.entry(Integer.class, Schema.type("integer", "int32")),
            Map.entry(long.class, Schema.type("integer", "int64")),
            Map.entry(Long.class, Schema.type("integer", "int64")),
            Map.entry(BigInteger.class, Schema.type("integer")),
            Map.entry(float.class, Schema.type("number", "float")),
            Map.entry(Float.class, Schema.type("number", "float")),
            Map.entry(double.class, Schema.type("number", "double")),
            Map.entry(Double.class, Schema.type("number", "double")),
            Map.entry(BigDecimal.class, Schema.type("number")),
            Map.entry(byte[].class, Schema.type("string", "byte")),
            Map.entry(OffsetDateTime.class, Schema.type("string", "date-time")),
            Map.entry(Date.class, Schema.type("string", "date-time")),
            Map.entry(LocalDate.class, Schema.type("string", "date")),
            Map.entry(UUID.class, limited(Schema.type("string", "uuid"), "pattern", UUID_WITH_DASHES)),
            Map.entry(IntOrString.class, intOrString()),
            Map.entry(Quantity.class, quantity()),
            Map.entry(Object.class, Schema.of(Schema.PRESERVE, true)),
            Map.entry(JsonElement.class, Schema.of(Schema.PRESERVE, true)),
            Map.entry(JsonObject.class, anyObject()),
            Map.entry(JsonArray.class, anyList()),
            Map.entry(V1Condition.class, condition()));

    private KnownTypes() {}

    /** A schema that the caller may change, null for classes that are read by their fields. */
    static @Nullable Map<String, Object> schemaOf(Class<?> type) {
        Map<String, Object> schema = SCHEMAS.get(type);
        return schema == null ? null : new LinkedHashMap<>(schema);
    }

    /** Whether a class is one of client-java's models, which have neither sources nor other libraries' annotations here. */
    static boolean isModel(Class<?> type) {
        return type.getPackage() == V1Condition.class.getPackage();
    }

    private static Map<String, Object> shortInteger() {
        Map<String, Object> schema = limited(Schema.type("integer", "int32"), "minimum", (int) Short.MIN_VALUE);
        return limited(schema, "maximum", (int) Short.MAX_VALUE);
    }

    private static Map<String, Object> intOrString() {
        Map<String, Object> schema = Schema.of("anyOf", List.of(Schema.type("integer"), Schema.type("string")));
        schema.put(Schema.INT_OR_STRING, true);
        return schema;
    }

    private static Map<String, Object> quantity() {
        Map<String, Object> schema = intOrString();
        schema.put("pattern", QUANTITY);
        return schema;
    }

    private static Map<String, Object> anyObject() {
        Map<String, Object> schema = Schema.type("object");
        schema.put(Schema.PRESERVE, true);
        return schema;
    }

    private static Map<String, Object> anyList() {
        return limited(Schema.type("array"), "items", Schema.of(Schema.PRESERVE, true));
    }

    /** Its limits are those of KEP-1623, apimachinery's {@code metav1.Condition}. */
    private static Map<String, Object> condition() {
        Map<String, Object> properties = new LinkedHashMap<>();
        properties.put("type", limited(Schema.type("string"), "maxLength", 316));
        properties.put("status", limited(Schema.type("string"), "enum", List.of("True", "False", "Unknown")));
        properties.put("observedGeneration", limited(Schema.type("integer", "int64"), "minimum", 0));
        properties.put("lastTransitionTime", Schema.type("string", "date-time"));
        properties.put("reason", limited(limited(Schema.type("string"), "minLength", 1), "maxLength", 1024));
        properties.put("message", limited(Schema.type("string"), "maxLength", 32768));
        Map<String, Object> schema = Schema.type("object");
        schema.put("required", List.of("type", "status", "lastTransitionTime", "reason", "message"));
        schema.put("properties", properties);
        return schema;
    }

    private static Map<String, Object> limited(Map<String, Object> schema, String keyword, Object value) {
        schema.put(keyword, value);
        return schema;
    }
}
