package io.controllermanager.apiserver.cel;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableCollection;
import com.google.common.collect.ImmutableMap;
import dev.cel.common.types.CelType;
import dev.cel.common.types.CelTypeProvider;
import dev.cel.common.types.ListType;
import dev.cel.common.types.MapType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.types.StructType;
import dev.cel.common.types.StructTypeReference;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The CEL types that a structural schema declares (apiserver, pkg/cel/common/schemas.go). */
final class Types {

    private final Map<String, CelType> structs = new LinkedHashMap<>();

    /**
     * Declares a schema's type and those that it is made of.
     *
     * @param name of the type if it is an object; no identifier, so that no rule can mean it
     * @return null for what rules cannot see
     */
    @Nullable
    CelType declare(JsonNode schema, String name) {
        if (schema.path("x-kubernetes-int-or-string").asBoolean()) {
            return SimpleType.DYN;
        }
        return switch (schema.path("type").asText()) {
            case "array" -> {
                CelType items = declare(schema.path("items"), name + "[]");
                yield items == null ? null : ListType.create(items);
            }
            case "object" -> {
                if (!schema.path("additionalProperties").isObject()) {
                    yield struct(schema.path("properties"), name);
                }
                CelType values = declare(schema.path("additionalProperties"), name + "{}");
                yield values == null ? null : MapType.create(SimpleType.STRING, values);
            }
            case "string" ->
                switch (schema.path("format").asText()) {
                    case "byte" -> SimpleType.BYTES;
                    case "duration" -> SimpleType.DURATION;
                    case "date", "date-time" -> SimpleType.TIMESTAMP;
                    default -> SimpleType.STRING;
                };
            case "boolean" -> SimpleType.BOOL;
            case "number" -> SimpleType.DOUBLE;
            case "integer" -> SimpleType.INT;
            default -> null;
        };
    }

    private CelType struct(JsonNode properties, String name) {
        ImmutableMap.Builder<String, CelType> declared = ImmutableMap.builder();
        properties.properties().forEach(property -> {
            CelType type = declare(property.getValue(), name + "/" + property.getKey());
            if (type != null) {
                declared.put(Names.escape(property.getKey()), type);
            }
        });
        ImmutableMap<String, CelType> fields = declared.buildOrThrow();
        structs.put(name, StructType.create(name, fields.keySet(), field -> Optional.ofNullable(fields.get(field))));
        return StructTypeReference.create(name);
    }

    /** All objects declared so far. */
    CelTypeProvider provider() {
        ImmutableMap<String, CelType> types = ImmutableMap.copyOf(structs);
        return new CelTypeProvider() {
            @Override
            public ImmutableCollection<CelType> types() {
                return types.values();
            }

            @Override
            public Optional<CelType> findType(String name) {
                return Optional.ofNullable(types.get(name));
            }
        };
    }
}
