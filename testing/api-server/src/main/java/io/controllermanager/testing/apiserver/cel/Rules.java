package io.controllermanager.testing.apiserver.cel;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cel.common.CelErrorCode;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime.Program;
import io.controllermanager.testing.apiserver.http.StatusException.Cause;
import io.controllermanager.testing.apiserver.schema.Correlation;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The rules of a CRD's version, which judge its objects (apiextensions-apiserver, pkg/apiserver/schema/cel). A rule
 * that a value broke before does not stop an update that leaves the value alone (KEP-4008). Threads may share it.
 */
public final class Rules {

    private static final Set<String> BLOCKING = Set.of(
            "FieldValueNotSupported",
            "FieldValueRequired",
            "FieldValueTooLong",
            "FieldValueTooMany",
            "FieldValueTypeInvalid");
    private static final int LONGEST_MESSAGE = 5 * 1024;
    private static final String NO_PATH = "<nil>";

    /** A rule, ready to run. */
    record Rule(JsonNode source, Program program, @Nullable Program message, boolean isTransition, String fieldPath) {}

    /** The rules of one schema and those below. */
    record Node(
            JsonNode schema,
            List<Rule> rules,
            Map<String, Node> properties,
            @Nullable Node items,
            @Nullable Node values) {}

    /** Schemas of which it is known what compiling them gives: more CRDs than one process installs, as a rule. */
    private static final int REMEMBERED = 200;

    /**
     * Compiling takes longer than all else that a server does at its start, and a run of tests starts many servers with the same
     * CRDs. What comes of it depends on the key alone and is never changed, so that all servers of the process share it.
     */
    private static final Map<Source, Compiled> COMPILED =
            Collections.synchronizedMap(new LinkedHashMap<>(16, 0.75f, true) {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<Source, Compiled> eldest) {
                    return size() > REMEMBERED;
                }
            });

    private record Source(String path, ObjectNode schema) {}

    private record Compiled(Rules rules, List<Cause> causes) {}

    private final @Nullable Node root;

    private Rules(@Nullable Node root) {
        this.root = root;
    }

    /**
     * Compiles all rules of a CRD's version.
     *
     * @param path of the schema in the CRD
     * @param causes gets what is wrong with them, or is not supported here
     */
    public static Rules compile(String path, ObjectNode schema, List<Cause> causes) {
        Source source = new Source(path, schema);
        Compiled known = COMPILED.get(source);
        if (known == null) {
            ObjectNode whole = Compiler.withTypeAndName(schema, true);
            List<Cause> wrong = new ArrayList<>();
            known = new Compiled(new Rules(new Compiler(wrong).node(path, whole, "")), List.copyOf(wrong));
            COMPILED.put(source, known);
        }
        causes.addAll(known.causes());
        return known.rules();
    }

    /**
     * Adds to what the schema found.
     *
     * @param before the object's state until now; null for one that is created
     * @param warnings get what is wrong too, but was so before
     */
    public void judge(JsonNode object, @Nullable JsonNode before, List<Cause> causes, List<String> warnings) {
        if (causes.stream().anyMatch(cause -> BLOCKING.contains(cause.reason()))) {
            causes.add(invalid(
                    "",
                    "null: some validation rules were not checked because the object was invalid;"
                            + " correct the existing errors to complete validation"));
            return;
        }
        if (root != null) {
            new Judgement(causes, warnings).walk(root, "", object, before, () -> false);
        }
    }

    private static Cause invalid(String path, String detail) {
        return new Cause("FieldValueInvalid", "Invalid value: " + detail, path.isEmpty() ? NO_PATH : path);
    }

    private record Judgement(List<Cause> causes, List<String> warnings) {

        /**
         * Judges a value and what is in it.
         *
         * @param isUnchanged whether the value, or the nearest value around it that is known from before, is as it was
         */
        void walk(Node node, String path, JsonNode value, @Nullable JsonNode before, BooleanSupplier isUnchanged) {
            if (value.isNull()) {
                return;
            }
            if (!node.rules().isEmpty()) {
                evaluate(node, path, value, before, isUnchanged);
            }
            for (Map.Entry<String, JsonNode> field : value.properties()) {
                boolean isMap = node.values() != null;
                Node below = isMap ? node.values() : node.properties().get(field.getKey());
                String at = isMap
                        ? path + "[" + field.getKey() + "]"
                        : path.isEmpty() ? field.getKey() : path + "." + field.getKey();
                if (below != null) {
                    step(below, at, field.getValue(), before == null ? null : before.get(field.getKey()), isUnchanged);
                }
            }
            for (int i = 0; i < value.size() && value.isArray() && node.items() != null; i++) {
                JsonNode former = before == null ? null : Correlation.former(node.schema(), value.path(i), before);
                step(node.items(), path + "[" + i + "]", value.path(i), former, isUnchanged);
            }
        }

        private void step(
                Node node, String path, JsonNode value, @Nullable JsonNode former, BooleanSupplier isUnchanged) {
            JsonNode before = former == null || former.isNull() ? null : former;
            BooleanSupplier nearest =
                    before == null ? isUnchanged : () -> Correlation.same(node.schema(), value, before);
            walk(node, path, value, before, nearest);
        }

        private void evaluate(
                Node node, String path, JsonNode value, @Nullable JsonNode before, BooleanSupplier isUnchanged) {
            String type = node.schema().path("type").asText();
            Map<String, Object> variables = new HashMap<>();
            Object old = null;
            try {
                variables.put("self", Values.of(value, node.schema()));
                old = before == null ? null : Values.of(before, node.schema());
            } catch (IllegalArgumentException e) {
                causes.add(invalid(path, '"' + type + "\": " + e.getMessage()));
                return;
            }
            for (Rule rule : node.rules()) {
                boolean optional = rule.source().path("optionalOldSelf").asBoolean();
                if (rule.isTransition() && old == null && !optional) {
                    continue;
                }
                if (rule.isTransition()) {
                    variables.put("oldSelf", optional ? Optional.ofNullable(old) : old);
                }
                try {
                    boolean holds = (Boolean) rule.program().eval(variables);
                    if (!holds) {
                        tell(rule, broken(rule, path, value, message(rule, variables)), isUnchanged);
                    }
                } catch (CelEvaluationException e) {
                    tell(rule, invalid(path, '"' + type + "\": " + error(rule, e)), isUnchanged);
                }
            }
        }

        private void tell(Rule rule, Cause cause, BooleanSupplier isUnchanged) {
            if (!rule.isTransition() && isUnchanged.getAsBoolean()) {
                warnings.add(cause.field() + ": " + cause.message());
            } else {
                causes.add(cause);
            }
        }
    }

    private static Cause broken(Rule rule, String path, JsonNode value, String message) {
        String field =
                rule.fieldPath().isEmpty() ? path : path.isEmpty() ? rule.fieldPath() : path + "." + rule.fieldPath();
        String reason = rule.source().path("reason").asText("FieldValueInvalid");
        String shown = value.isContainerNode() ? "" : ": " + value;
        String detail = switch (reason) {
            case "FieldValueForbidden" -> "Forbidden: " + message;
            case "FieldValueRequired" -> "Required value: " + message;
            case "FieldValueDuplicate" -> "Duplicate value" + shown;
            default -> "Invalid value" + shown + ": " + message;
        };
        return new Cause(reason, detail, field.isEmpty() ? NO_PATH : field);
    }

    private static String message(Rule rule, Map<String, Object> variables) {
        if (rule.message() != null) {
            try {
                String message = ((String) rule.message().eval(variables)).strip();
                if (!message.isEmpty() && !message.contains("\n") && message.length() <= LONGEST_MESSAGE) {
                    return message;
                }
            } catch (CelEvaluationException e) {
                // As if there were no such expression.
            }
        }
        String message = rule.source().path("message").asText().strip();
        return message.isEmpty() ? "failed rule: " + name(rule) : message;
    }

    private static String name(Rule rule) {
        String message = rule.source().path("message").asText().strip();
        return message.isEmpty() ? rule.source().path("rule").asText().strip() : message;
    }

    /** An evaluation's failure in the words of cel-go, whose errors the real server shows. */
    private static String error(Rule rule, CelEvaluationException error) {
        String plain = String.valueOf(error.getMessage()).replaceFirst("^evaluation error( at [^ ]*)?: ", "");
        CelErrorCode code = error.getErrorCode();
        return switch (code) {
            case OVERLOAD_NOT_FOUND ->
                "'no such overload': call arguments did not match a supported operator, function or macro signature"
                        + " for rule: " + name(rule);
            case DIVIDE_BY_ZERO -> "division by zero evaluating rule: " + name(rule);
            case INDEX_OUT_OF_BOUNDS -> plain.replace("Index out", "index out") + " evaluating rule: " + name(rule);
            case ATTRIBUTE_NOT_FOUND ->
                "no such key: " + plain.replaceFirst("^key '(.*)' is not present in map\\.$", "$1")
                        + " evaluating rule: " + name(rule);
            default -> plain + " evaluating rule: " + name(rule);
        };
    }
}
