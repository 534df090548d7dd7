package io.controllermanager.apiserver.cel;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.re2j.PatternSyntaxException;
import dev.cel.bundle.Cel;
import dev.cel.bundle.CelBuilder;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelValidationException;
import dev.cel.common.CelValidationResult;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.navigation.CelNavigableAst;
import dev.cel.common.navigation.CelNavigableExpr;
import dev.cel.common.types.CelType;
import dev.cel.common.types.OptionalType;
import dev.cel.common.types.SimpleType;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime.Program;
import dev.cel.validator.CelAstValidator.IssuesFactory;
import dev.cel.validator.CelValidator;
import dev.cel.validator.CelValidatorFactory;
import dev.cel.validator.validators.DurationLiteralValidator;
import dev.cel.validator.validators.HomogeneousLiteralValidator;
import dev.cel.validator.validators.TimestampLiteralValidator;
import io.controllermanager.apiserver.cel.Rules.Rule;
import io.controllermanager.apiserver.http.StatusException.Cause;
import io.controllermanager.apiserver.json.Json;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Compiles the rules of a schema (apiextensions-apiserver, pkg/apiserver/schema/cel/compilation.go, and what
 * pkg/apis/apiextensions/validation demands of rules). What they would cost is not estimated.
 *
 * @param causes gets what is wrong with them
 * @param rules gets them, by the schemas that have them or stand above one that has: these very nodes, and not equal ones
 */
record Compiler(List<Cause> causes, IdentityHashMap<JsonNode, List<Rule>> rules) {

    static final String KEYWORD = "x-kubernetes-validations";

    private static final List<String> REASONS =
            List.of("FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired");
    private static final Set<String> REGEX_FUNCTIONS = Set.of("matches", "find", "findAll");
    private static final Pattern STEP = Pattern.compile("\\.([^.\\[\\]']+)|\\['((?:[^'\\\\]|\\\\.)*)']");

    /**
     * Compiles what is in a schema and below.
     *
     * @param uncorrelatable the path of the schema above whose values' former states are not known; empty for none
     */
    void compile(String path, JsonNode schema, String uncorrelatable) {
        if (schema.findValue(KEYWORD) == null) {
            return;
        }
        rules.put(schema, List.of());
        for (String junctor : List.of("allOf", "anyOf", "oneOf", "not")) {
            if (schema.path(junctor).findValue(KEYWORD) != null) {
                String why = "the embedded API server does not evaluate rules inside " + junctor;
                causes.add(Cause.forbidden(path + "." + junctor, why));
            }
        }
        if (!schema.path(KEYWORD).isEmpty()) {
            compileOwn(path + "." + KEYWORD, schema, uncorrelatable);
        }
        boolean keyed = schema.path("x-kubernetes-list-type").asText().equals("map");
        String inItems = uncorrelatable.isEmpty() && !keyed ? path : uncorrelatable;
        compile(path + ".items", schema.path("items"), inItems);
        compile(path + ".additionalProperties", schema.path("additionalProperties"), uncorrelatable);
        schema.path("properties").properties().forEach(property -> {
            String at = path + ".properties[" + property.getKey() + "]";
            compile(at, property.getValue(), uncorrelatable);
        });
    }

    private void compileOwn(String path, JsonNode schema, String uncorrelatable) {
        Types types = new Types();
        CelType self = types.declare(schema, "object");
        if (self == null) {
            String why = "Internal error: failed to retrieve type information for " + KEYWORD;
            causes.add(new Cause("InternalError", why, path));
            return;
        }
        Cel cel = withVariables(types, self, self);
        List<Rule> own = new ArrayList<>();
        for (int i = 0; i < schema.path(KEYWORD).size(); i++) {
            JsonNode source = schema.path(KEYWORD).path(i);
            boolean optional = source.path("optionalOldSelf").asBoolean();
            Cel fitting = optional ? withVariables(types, self, OptionalType.create(self)) : cel;
            Rule rule = rule(path + "[" + i + "]", schema, source, fitting, uncorrelatable);
            if (rule != null) {
                own.add(rule);
            }
        }
        rules.put(schema, own);
    }

    private static Cel withVariables(Types types, CelType self, CelType oldSelf) {
        CelBuilder cel = Environment.BASE.toCelBuilder().setTypeProvider(types.provider());
        return cel.addVar("self", self).addVar("oldSelf", oldSelf).build();
    }

    private @Nullable Rule rule(String at, JsonNode schema, JsonNode rule, Cel cel, String uncorrelatable) {
        int before = causes.size();
        String text = rule.path("rule").asText();
        demand(at, rule);
        String fieldPath = fieldPath(rule.path("fieldPath").asText(), schema);
        if (rule.has("fieldPath") && fieldPath == null) {
            invalid(at + ".fieldPath", rule.path("fieldPath"), "must be a valid path");
        }
        if (causes.size() > before) {
            return null;
        }
        CelAbstractSyntaxTree tree = compile(at + ".rule", rule, "", text, cel, SimpleType.BOOL);
        String expression = rule.path("messageExpression").asText();
        CelAbstractSyntaxTree message = expression.isEmpty() || tree == null
                ? null
                : compile(at + ".messageExpression", rule, "messageExpression ", expression, cel, SimpleType.STRING);
        boolean transition = tree != null
                && tree.getReferenceMap().values().stream()
                        .anyMatch(reference -> reference.name().equals("oldSelf"));
        if (transition && !uncorrelatable.isEmpty()) {
            String why = "oldSelf cannot be used on the uncorrelatable portion of the schema within " + uncorrelatable;
            invalid(at + ".rule", rule.path("rule"), why);
        } else if (tree != null && !transition && rule.has("optionalOldSelf")) {
            String why = "may not be set if oldSelf is not used in rule";
            invalid(at + ".optionalOldSelf", rule.path("optionalOldSelf"), why);
        }
        if (causes.size() > before || tree == null) {
            return null;
        }
        try {
            Program program = cel.createProgram(tree);
            Program messageProgram = message == null ? null : cel.createProgram(message);
            return new Rule(rule, program, messageProgram, transition, fieldPath == null ? "" : fieldPath);
        } catch (CelEvaluationException e) {
            invalid(at + ".rule", rule, "program instantiation failed: " + e.getMessage());
            return null;
        }
    }

    private void demand(String at, JsonNode rule) {
        String text = rule.path("rule").asText().strip();
        String message = rule.path("message").asText().strip();
        if (text.isEmpty()) {
            causes.add(Cause.required(at + ".rule", "rule is not specified"));
        } else if (!rule.path("message").asText().isEmpty() && message.isEmpty()) {
            invalid(at + ".message", rule.path("message"), "must be non-empty if specified");
        } else if (message.contains("\n")) {
            invalid(at + ".message", rule.path("message"), "must not contain line breaks");
        } else if (text.contains("\n") && message.isEmpty()) {
            causes.add(Cause.required(at + ".message", "message must be specified if rule contains line breaks"));
        }
        if (rule.has("reason") && !REASONS.contains(rule.path("reason").asText())) {
            causes.add(Cause.unsupported(at + ".reason", rule.path("reason"), REASONS));
        }
    }

    private @Nullable CelAbstractSyntaxTree compile(
            String at, JsonNode rule, String what, String expression, Cel cel, CelType result) {
        try {
            CelValidationResult compiled = cel.compile(expression);
            if (!compiled.hasError()) {
                compiled = validator(cel).validate(compiled.getAst());
            }
            if (!compiled.hasError() && compiled.getAst().getResultType().equals(result)) {
                return compiled.getAst();
            }
            String wrong = compiled.hasError()
                    ? what + "compilation failed: " + compiled.getErrorString()
                    : (what.isEmpty() ? "cel expression" : what.strip()) + " must evaluate to a " + result.name();
            invalid(at, rule, wrong.contains("undeclared reference") ? wrong + Environment.LACKING : wrong);
            return null;
        } catch (CelValidationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static CelValidator validator(Cel cel) {
        return CelValidatorFactory.standardCelValidatorBuilder(cel)
                .addAstValidators(
                        HomogeneousLiteralValidator.newInstance(),
                        TimestampLiteralValidator.INSTANCE,
                        DurationLiteralValidator.INSTANCE,
                        Compiler::checkRegexes)
                .build();
    }

    private static void checkRegexes(CelNavigableAst tree, Cel cel, IssuesFactory issues) {
        tree.getRoot()
                .allNodes()
                .map(CelNavigableExpr::expr)
                .filter(expression -> expression.getKind() == CelExpr.ExprKind.Kind.CALL)
                .filter(expression -> REGEX_FUNCTIONS.contains(expression.call().function()))
                .flatMap(expression -> expression.call().args().stream())
                .filter(argument -> argument.getKind() == CelExpr.ExprKind.Kind.CONSTANT
                        && argument.constant().getKind() == CelConstant.Kind.STRING_VALUE)
                .forEach(argument -> {
                    try {
                        com.google.re2j.Pattern.compile(argument.constant().stringValue());
                    } catch (PatternSyntaxException e) {
                        issues.addError(argument.id(), "invalid matches argument: " + e.getMessage());
                    }
                });
    }

    private void invalid(String at, JsonNode value, String why) {
        causes.add(Cause.invalid(at, value, why));
    }

    /** A JSON path that names a field below a schema, as causes have it; null for one that does not. */
    private static @Nullable String fieldPath(String path, JsonNode schema) {
        StringBuilder steps = new StringBuilder();
        JsonNode at = schema;
        Matcher step = STEP.matcher(path);
        int end = 0;
        while (end < path.length()) {
            if (!step.find(end) || step.start() != end) {
                return null;
            }
            end = step.end();
            String name = step.group(1) != null ? step.group(1) : step.group(2).replaceAll("\\\\(.)", "$1");
            boolean named = at.has("properties");
            at = named ? at.path("properties").path(name) : at.path("additionalProperties");
            if (!at.isObject()) {
                return null;
            }
            steps.append(named ? "." + name : "[" + name + "]");
        }
        return path.isEmpty() ? null : steps.toString().replaceFirst("^\\.", "");
    }

    /** Gives the whole objects in a schema, of which it may be one itself, what rules can see of any object. */
    static void complete(JsonNode node, boolean root) {
        if (!(node instanceof ObjectNode schema)) {
            return;
        }
        complete(schema.path("items"), false);
        complete(schema.path("additionalProperties"), false);
        schema.path("properties").forEach(property -> complete(property, false));
        if (root || schema.path("x-kubernetes-embedded-resource").asBoolean()) {
            ObjectNode properties = Json.child(schema, "properties");
            for (String field : List.of("apiVersion", "kind")) {
                Json.child(properties, field).put("type", "string");
            }
            ObjectNode named = Json.child(Json.child(properties, "metadata").put("type", "object"), "properties");
            List<String> visible = List.of("name", "generateName");
            visible.forEach(field -> Json.child(named, field).put("type", "string"));
            named.retain(visible);
        }
    }
}
