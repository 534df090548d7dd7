package io.controllermanager.apiserver.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.re2j.Pattern;
import io.controllermanager.apiserver.http.StatusException.Cause;
import io.controllermanager.apiserver.json.Json;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Judges objects by a CRD's schema, in the words of the real server (kube-openapi, pkg/validation/validate). */
public final class Validator {

    /** Beyond this float64 leaves integers out (swag, IsFloat64AJSONInteger). */
    private static final double LARGEST_WHOLE = (1L << 53) - 1;

    private final JsonNode root;
    private final boolean statusApart;
    private final Map<String, Pattern> patterns = new ConcurrentHashMap<>();

    /** Judges by a CRD's schema. A status that a subresource writes is judged apart, by itself. */
    public Validator(JsonNode root, boolean statusApart) {
        this.root = root;
        this.statusApart = statusApart;
    }

    /** What is wrong with an object, but in values that an update of what was before leaves alone (KEP-4008). */
    public List<Cause> validate(JsonNode object, @Nullable JsonNode before) {
        List<Cause> causes = new ArrayList<>();
        walk(Correlation.of(object, root, before), causes);
        return new ArrayList<>(causes.stream()
                .distinct()
                .sorted(Comparator.comparing(Cause::field))
                .toList());
    }

    private void walk(Correlation at, List<Cause> causes) {
        if (at.schema().isObject()) {
            List<Cause> own = judge(at.path(), at.value(), at.schema());
            if (!own.isEmpty() && !at.isUnchanged()) {
                causes.addAll(own);
            }
            at.within(false, under -> walk(under, causes));
        }
    }

    /** Judges a value by itself. */
    private List<Cause> judge(String path, JsonNode value, JsonNode schema) {
        List<Cause> causes = new ArrayList<>();
        type(path, value, schema, causes);
        if (value.isNumber()) {
            number(path, value, schema, causes);
        } else if (value.isTextual()) {
            text(path, value, schema, causes);
        } else if (value.isContainerNode()) {
            size(path, value, schema, causes);
        }
        List<JsonNode> allowed = Json.list(schema.path("enum"));
        if (!allowed.isEmpty() && allowed.stream().noneMatch(one -> equal(one, value))) {
            causes.add(Cause.unsupported(path, value, allowed));
        }
        if (!value.isNull()) {
            junctors(path, value, schema, causes);
        }
        return causes;
    }

    private static boolean equal(JsonNode one, JsonNode other) {
        boolean areNumbers = one.isNumber() && other.isNumber();
        return areNumbers ? one.asDouble() == other.asDouble() : one.equals(other);
    }

    private static boolean isWhole(JsonNode number) {
        return number.isIntegralNumber() || number.asDouble() == Math.rint(number.asDouble());
    }

    private void type(String path, JsonNode value, JsonNode schema, List<Cause> causes) {
        String type = schema.path("type").asText();
        List<String> types = schema.path("x-kubernetes-int-or-string").asBoolean()
                ? List.of("integer", "string")
                : type.isEmpty() ? List.of() : List.of(type);
        String kind = kind(value);
        boolean fits = types.isEmpty()
                || types.contains(kind)
                || switch (kind) {
                    case "null" -> schema.path("nullable").asBoolean();
                    case "integer" -> types.contains("number");
                    case "number" -> types.contains("integer") && isWhole(value);
                    case "array" -> Formats.takesLists(schema);
                    default -> false;
                };
        if (!fits) {
            causes.add(ofOtherType(path, kind, String.join(",", types)));
        }
        if (value.isNumber() && types.contains("integer")) {
            integer(path, value, schema.path("format").asText(), causes);
        }
    }

    private static String kind(JsonNode value) {
        return switch (value.getNodeType()) {
            case NUMBER -> value.isIntegralNumber() ? "integer" : "number";
            default -> value.getNodeType().name().toLowerCase(Locale.ROOT);
        };
    }

    private static Cause ofOtherType(String path, Object value, String type) {
        Cause cause = Cause.invalid(path, value, inBody(path) + "must be of type " + type + ": " + Cause.shown(value));
        return new Cause("FieldValueTypeInvalid", cause.message(), path);
    }

    private void integer(String path, JsonNode value, String format, List<Cause> causes) {
        double number = value.asDouble();
        boolean narrow = format.equals("int32");
        boolean fits = value.isIntegralNumber()
                ? !narrow || value.canConvertToInt()
                // Go parses the shortest text of a number, and that of the lowest long is -9223372036854776000.
                : isWhole(value) && (narrow ? number == (int) number : number > Long.MIN_VALUE && number < 0x1p63);
        if (isWhole(value) && !value.isIntegralNumber() && Math.abs(number) > LARGEST_WHOLE) {
            causes.add(ofOtherType(path, "float64", format.isEmpty() ? "integer" : format));
        }
        if (!fits) {
            String of = format.isEmpty() ? "(default format)" : "with format " + format;
            causes.add(inWords(path, "Checked value must be of type integer " + of + " in " + path));
        }
    }

    /** The real server does not say of what field, but in words. */
    private Cause inWords(String path, String why) {
        boolean ofStatus = statusApart && path.split("[.\\[]", 2)[0].equals("status");
        return Cause.invalid(ofStatus ? "status" : "<nil>", "", why);
    }

    private static String inBody(String path) {
        return path.isEmpty() ? "" : path + " in body ";
    }

    private static void number(String path, JsonNode value, JsonNode schema, List<Cause> causes) {
        bound(path, value, schema, "minimum", "exclusiveMinimum", -1, causes);
        bound(path, value, schema, "maximum", "exclusiveMaximum", 1, causes);
        JsonNode factor = schema.path("multipleOf");
        if (factor.asDouble() != 0
                && value.decimalValue().remainder(factor.decimalValue()).signum() != 0) {
            causes.add(Cause.invalid(path, value, inBody(path) + "should be a multiple of " + factor.asText()));
        }
    }

    private static void bound(
            String path, JsonNode value, JsonNode schema, String name, String openName, int out, List<Cause> causes) {
        JsonNode limit = schema.path(name);
        boolean open = schema.path(openName).asBoolean();
        // Zero has no sign to Go; adding zero takes it. The real server cuts off the fraction of a limit to which it
        // compares an integer.
        int order = value.isIntegralNumber()
                ? Long.compare(value.asLong(), limit.asLong())
                : Double.compare(value.asDouble() + 0.0, limit.asDouble() + 0.0);
        if (limit.isNumber() && (order == out || (open && order == 0))) {
            String than = (out > 0 ? "less than " : "greater than ") + (open ? "" : "or equal to ");
            causes.add(Cause.invalid(path, value, inBody(path) + "should be " + than + limit.asText()));
        }
    }

    private void text(String path, JsonNode value, JsonNode schema, List<Cause> causes) {
        String text = value.asText();
        int length = text.codePointCount(0, text.length());
        String pattern = schema.path("pattern").asText();
        Pattern form = patterns.computeIfAbsent(pattern, Pattern::compile);
        if (length > schema.path("maxLength").asLong(Long.MAX_VALUE)) {
            causes.add(Cause.tooLong(path, schema.path("maxLength").asInt()));
        } else if (length < schema.path("minLength").asLong()) {
            String least = "should be at least " + schema.path("minLength") + " chars long";
            causes.add(Cause.invalid(path, value, inBody(path) + least));
        } else if (!form.matcher(text).find()) {
            causes.add(Cause.invalid(path, value, inBody(path) + "should match '" + pattern + "'"));
        }
        String format = schema.path("format").asText();
        if (List.of("string", "").contains(schema.path("type").asText()) && !Formats.matches(format, text)) {
            causes.add(ofOtherType(path, value, format));
        }
    }

    private static void size(String path, JsonNode value, JsonNode schema, List<Cause> causes) {
        String what = value.isArray() ? "Items" : "Properties";
        JsonNode most = schema.path("max" + what);
        JsonNode least = schema.path("min" + what);
        if (most.isNumber() && value.size() > most.asLong()) {
            String message = "Too many: " + value.size() + ": must have at most " + most + " items";
            causes.add(new Cause("FieldValueTooMany", message, path));
        }
        if (value.size() < least.asLong()) {
            String why = "should have at least " + least + " " + what.toLowerCase(Locale.ROOT);
            causes.add(Cause.invalid(path, value, inBody(path) + why));
        }
        for (JsonNode name : schema.path("required")) {
            if (value.isObject() && !value.has(name.asText())) {
                causes.add(Cause.required(Schema.join(path, name.asText()), ""));
            }
        }
    }

    private void junctors(String path, JsonNode value, JsonNode schema, List<Cause> causes) {
        List<List<Cause>> all = judgements(path, value, schema.path("allOf"));
        if (all.stream().anyMatch(wrong -> !wrong.isEmpty())) {
            all.forEach(causes::addAll);
            causes.add(inWords(path, Cause.shown(path) + " must validate all the schemas (allOf)"));
        }
        List<List<Cause>> any = judgements(path, value, schema.path("anyOf"));
        if (!any.isEmpty() && any.stream().noneMatch(List::isEmpty)) {
            causes.add(inWords(path, Cause.shown(path) + " must validate at least one schema (anyOf)"));
            causes.addAll(nearest(any));
        }
        List<List<Cause>> one = judgements(path, value, schema.path("oneOf"));
        long valid = one.stream().filter(List::isEmpty).count();
        if (!one.isEmpty() && valid != 1) {
            String found = valid == 0 ? "Found none valid" : "Found " + valid + " valid alternatives";
            causes.add(inWords(path, Cause.shown(path) + " must validate one and only one schema (oneOf). " + found));
            causes.addAll(nearest(one));
        }
        if (schema.path("not").isObject()
                && judgement(path, value, schema.path("not")).isEmpty()) {
            causes.add(inWords(path, Cause.shown(path) + " must not validate the schema (not)"));
        }
    }

    private List<List<Cause>> judgements(String path, JsonNode value, JsonNode schemas) {
        return Json.list(schemas).stream()
                .map(schema -> judgement(path, value, schema))
                .toList();
    }

    /** Judges by what is under a junctor, where types do not count: the schema around it says them. */
    private List<Cause> judgement(String path, JsonNode value, JsonNode schema) {
        List<Cause> causes = new ArrayList<>();
        if (schema instanceof ObjectNode given) {
            ObjectNode typeless = Json.object().setAll(given);
            typeless.remove("type");
            walk(new Correlation(path, value, typeless, null, () -> false), causes);
        }
        return causes;
    }

    private static List<Cause> nearest(List<List<Cause>> judgements) {
        return judgements.stream().min(Comparator.comparingInt(List::size)).orElseThrow();
    }
}
