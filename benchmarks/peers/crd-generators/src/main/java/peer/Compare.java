package peer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.github.victools.jsonschema.generator.Option;
import com.github.victools.jsonschema.generator.OptionPreset;
import com.github.victools.jsonschema.generator.SchemaGenerator;
import com.github.victools.jsonschema.generator.SchemaGeneratorConfigBuilder;
import com.github.victools.jsonschema.generator.SchemaVersion;
import com.github.victools.jsonschema.module.jakarta.validation.JakartaValidationModule;
import com.github.victools.jsonschema.module.jakarta.validation.JakartaValidationOption;
import io.fabric8.crdv2.generator.v1.JsonSchema;
import java.io.File;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * How much of a CRD's schema other generators make of the same class. Each statement of the schema counts, such as {@code
 * spec.replicas: minimum 0}; descriptions apart, which neither can know.
 *
 * <p>Arguments: the class of the spec or status, the CRD's file, and {@code spec} or {@code status}, as often as wanted.
 */
public final class Compare {

    private static final ObjectMapper JSON = new ObjectMapper();

    private Compare() {}

    public static void main(String[] args) throws Exception {
        Map<String, Function<Class<?>, JsonNode>> generators = new LinkedHashMap<>();
        generators.put("fabric8", type -> JSON.valueToTree(JsonSchema.from(type)));
        generators.put("victools", victools()::generateSchema);
        System.out.printf("%-40s %-10s %10s %6s %9s %8s%n", "class", "generator", "statements", "same", "missing", "wrong");
        for (int i = 0; i < args.length; i += 3) {
            Class<?> type = Class.forName(args[i]);
            JsonNode crd = new YAMLMapper().readTree(new File(args[i + 1]));
            Map<String, String> wanted = statements(
                    crd.at("/spec/versions/0/schema/openAPIV3Schema/properties/" + args[i + 2]));
            for (Map.Entry<String, Function<Class<?>, JsonNode>> generator : generators.entrySet()) {
                compare(type, generator.getKey(), wanted, statements(generator.getValue().apply(type)));
            }
        }
    }

    private static SchemaGenerator victools() {
        return new SchemaGenerator(
                new SchemaGeneratorConfigBuilder(SchemaVersion.DRAFT_2020_12, OptionPreset.PLAIN_JSON)
                        .with(new JakartaValidationModule(
                                JakartaValidationOption.INCLUDE_PATTERN_EXPRESSIONS,
                                JakartaValidationOption.NOT_NULLABLE_FIELD_IS_REQUIRED))
                        .with(Option.INLINE_ALL_SCHEMAS, Option.EXTRA_OPEN_API_FORMAT_VALUES)
                        .without(Option.SCHEMA_VERSION_INDICATOR)
                        .build());
    }

    private static void compare(
            Class<?> type, String generator, Map<String, String> wanted, Map<String, String> found) {
        long same = wanted.entrySet().stream()
                .filter(statement -> statement.getValue().equals(found.get(statement.getKey())))
                .count();
        long missing = wanted.keySet().stream().filter(key -> !found.containsKey(key)).count();
        long additional = found.keySet().stream().filter(key -> !wanted.containsKey(key)).count();
        long different = wanted.size() - same - missing;
        System.out.printf(
                "%-40s %-10s %10d %6d %9d %8d%n",
                type.getName(), generator, wanted.size(), same, missing, different + additional);
        if (Boolean.getBoolean("details")) {
            wanted.forEach((key, value) -> {
                if (!value.equals(found.get(key))) {
                    System.out.println("    " + key + ": " + value + ", not " + found.get(key));
                }
            });
            found.forEach((key, value) -> {
                if (!wanted.containsKey(key)) {
                    System.out.println("    " + key + ": " + value + ", which is not wanted");
                }
            });
        }
    }

    /** From a place and a keyword to its value. */
    private static Map<String, String> statements(JsonNode schema) {
        Map<String, String> statements = new TreeMap<>();
        collect("", schema, statements);
        return statements;
    }

    private static void collect(String place, JsonNode schema, Map<String, String> statements) {
        schema.fields().forEachRemaining(field -> {
            switch (field.getKey()) {
                case "description" -> {}
                case "properties" -> field.getValue().fields().forEachRemaining(property ->
                        collect(place + "." + property.getKey(), property.getValue(), statements));
                case "items", "additionalProperties" -> collect(place + "[]", field.getValue(), statements);
                case "required" -> field.getValue().forEach(name ->
                        statements.put(place + "." + name.asText() + " required", "true"));
                default -> statements.put(place + " " + field.getKey(), field.getValue().toString());
            }
        });
    }
}
