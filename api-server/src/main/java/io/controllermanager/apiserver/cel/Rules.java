package io.controllermanager.apiserver.cel;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import dev.cel.common.CelErrorCode;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime.Program;
import io.controllermanager.apiserver.http.StatusException.Cause;
import io.controllermanager.apiserver.schema.Correlation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The rules of a CRD's version, which judge its objects (apiextensions-apiserver, pkg/apiserver/schema/cel). A rule
 * that a value broke before does not stop an update that leaves the value alone (KEP-4008). Threads may share it.
 *
 * @param root the schema
 * @param all those of its nodes that have rules, or stand above one that has: these very nodes, and not equal ones
 */
public record Rules(JsonNode root, IdentityHashMap<JsonNode, List<Rule>> all) {

    private static final Pattern BLOCKING =
            Pattern.compile("FieldValue(NotSupported|Required|TooLong|TooMany|TypeInvalid)");
    private static final String NOT_CHECKED =
            "null: some validation rules were not checked because the object was invalid;"
                    + " correct the existing errors to complete validation";
    private static final int LONGEST_MESSAGE = 5 * 1024;
    private static final String NO_PATH = "<nil>";
    private static final String NO_KEY = "^key '(.*)' is not present in map\\.$";
    private static final String NO_OVERLOAD =
            "'no such overload': call arguments did not match a supported operator, function or macro signature";

    /** A rule, ready to run. */
    record Rule(JsonNode source, Program program, @Nullable Program message, boolean isTransition, String fieldPath) {}

    /** Schemas of which it is known what compiling them gives: more CRDs than one process installs, as a rule. */
    private static final int REMEMBERED = 200;

    /**
     * Compiling takes longer than all else that a server does at its start, and a run of tests starts many servers with the same
     * CRDs. What comes of it depends on the key alone and is never changed, so that all servers of the process share it.
     */
    private static final Cache<Source, Compiled> COMPILED =
            CacheBuilder.newBuilder().maximumSize(REMEMBERED).build();

    private record Source(String path, ObjectNode schema) {}

    private record Compiled(Rules rules, List<Cause> causes) {}

    /**
     * Compiles all rules of a CRD's version.
     *
     * @param path of the schema in the CRD
     * @param causes gets what is wrong with them, or is not supported here
     */
    public static Rules compile(String path, ObjectNode schema, List<Cause> causes) {
        Source source = new Source(path, schema);
        Compiled known = COMPILED.getIfPresent(source);
        if (known == null) {
            ObjectNode whole = schema.deepCopy();
            Compiler.complete(whole, true);
            List<Cause> wrong = new ArrayList<>();
            IdentityHashMap<JsonNode, List<Rule>> all = new IdentityHashMap<>();
            new Compiler(wrong, all).compile(path, whole, "");
            known = new Compiled(new Rules(whole, all), List.copyOf(wrong));
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
        if (causes.stream().anyMatch(cause -> BLOCKING.matcher(cause.reason()).matches())) {
            causes.add(invalid("", NOT_CHECKED));
            return;
        }
        new Judgement(all, causes, warnings).walk(Correlation.of(object, root, before));
    }

    private static Cause invalid(String path, String detail) {
        return new Cause("FieldValueInvalid", "Invalid value: " + detail, path.isEmpty() ? NO_PATH : path);
    }

    private record Judgement(IdentityHashMap<JsonNode, List<Rule>> all, List<Cause> causes, List<String> warnings) {

        void walk(Correlation at) {
            List<Rule> own = all.get(at.schema());
            if (own == null || at.value().isNull()) {
                return;
            }
            if (!own.isEmpty()) {
                evaluate(own, at);
            }
            at.within(true, this::walk);
        }

        private void evaluate(List<Rule> own, Correlation at) {
            JsonNode schema = at.schema();
            String type = schema.path("type").asText();
            Map<String, Object> variables = new HashMap<>();
            Object old = null;
            try {
                variables.put("self", Values.of(at.value(), schema));
                old = at.before() == null ? null : Values.of(at.before(), schema);
            } catch (IllegalArgumentException e) {
                causes.add(invalid(at.path(), '"' + type + "\": " + e.getMessage()));
                return;
            }
            for (Rule rule : own) {
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
                        tell(rule, broken(rule, at, message(rule, variables)), at);
                    }
                } catch (CelEvaluationException e) {
                    tell(rule, invalid(at.path(), '"' + type + "\": " + error(rule, e)), at);
                }
            }
        }

        private void tell(Rule rule, Cause cause, Correlation at) {
            if (!rule.isTransition() && at.isUnchanged()) {
                warnings.add(cause.field() + ": " + cause.message());
            } else {
                causes.add(cause);
            }
        }
    }

    private static Cause broken(Rule rule, Correlation at, String message) {
        String path = at.path();
        JsonNode value = at.value();
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
        String message = text(rule, "message");
        return message.isEmpty() ? "failed rule: " + text(rule, "rule") : message;
    }

    private static String text(Rule rule, String field) {
        return rule.source().path(field).asText().strip();
    }

    /** An evaluation's failure in the words of cel-go, whose errors the real server shows. */
    private static String error(Rule rule, CelEvaluationException error) {
        boolean overload = error.getErrorCode() == CelErrorCode.OVERLOAD_NOT_FOUND;
        String message = text(rule, "message");
        return reason(error)
                + (overload ? " for rule: " : " evaluating rule: ")
                + (message.isEmpty() ? text(rule, "rule") : message);
    }

    static String reason(CelEvaluationException error) {
        String plain = String.valueOf(error.getMessage()).replaceFirst("^evaluation error( at [^ ]*)?: ", "");
        return switch (error.getErrorCode()) {
            case OVERLOAD_NOT_FOUND -> NO_OVERLOAD;
            case DIVIDE_BY_ZERO -> "division by zero";
            case INDEX_OUT_OF_BOUNDS -> plain.replace("Index out", "index out");
            case ATTRIBUTE_NOT_FOUND -> "no such key: " + plain.replaceFirst(NO_KEY, "$1");
            default -> plain;
        };
    }
}
