package io.controllermanager.crd;

import io.controllermanager.types.ObjectName;
import java.util.LinkedHashMap;
import java.util.Map;

/** What a schema says of metadata. The API server judges all of it but an object's name itself. */
final class ObjectNames {

    private static final int LONGEST = 253;

    private ObjectNames() {}

    static Map<String, Object> schemaOf(Class<?> type, Place metadata) {
        ObjectName given = type.getAnnotation(ObjectName.class);
        if (given == null) {
            return Schema.type("object");
        }
        Place place = metadata.field("name");
        Map<String, Object> name = Schema.type("string");
        if (given.maxLength() < 1 || given.maxLength() > LONGEST) {
            throw place.invalid(
                    "@ObjectName with maxLength " + given.maxLength() + ": a name has 1 to " + LONGEST + " characters");
        }
        if (given.maxLength() < LONGEST) {
            name.put("maxLength", given.maxLength());
        }
        if (!given.pattern().isEmpty()) {
            name.put("pattern", Patterns.whole(given.pattern(), place));
        }
        Map<String, Object> schema = new LinkedHashMap<>(Schema.type("object"));
        schema.put("properties", Map.of("name", Schema.ordered(name)));
        return Schema.ordered(schema);
    }
}
