package io.controllermanager.apiserver.cel;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import dev.cel.bundle.Cel;
import dev.cel.common.CelValidationException;
import dev.cel.common.types.SimpleType;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime.Program;
import io.controllermanager.apiserver.http.StatusException.Cause;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The {@code matchConditions} of webhooks (apiserver, pkg/admission/plugin/webhook/matchconditions). They see {@code object},
 * {@code oldObject} and {@code request}; there is no {@code authorizer}. For use by any thread.
 */
public final class MatchConditions {

    private static final Cache<String, Program> COMPILED =
            CacheBuilder.newBuilder().maximumSize(200).build();

    private MatchConditions() {}

    /** What is wrong with conditions. */
    public static void judge(String path, JsonNode conditions, List<Cause> causes) {
        for (int i = 0; i < conditions.size(); i++) {
            String expression = conditions.path(i).path("expression").asText();
            try {
                program(expression);
            } catch (CelValidationException | CelEvaluationException e) {
                String why = "compilation failed: " + e.getMessage() + Environment.LACKING;
                causes.add(Cause.invalid(path + "[" + i + "].expression", expression, why));
            }
        }
    }

    /**
     * Whether all conditions hold.
     *
     * @param request of the AdmissionReview, which has the objects
     * @throws IllegalArgumentException if one cannot be evaluated, and none is false
     */
    public static boolean hold(JsonNode conditions, JsonNode request) {
        Map<String, Object> variables = new HashMap<>();
        variables.put("object", Values.of(request.path("object")));
        variables.put("oldObject", Values.of(request.path("oldObject")));
        variables.put("request", Values.of(request));
        List<String> errors = new ArrayList<>();
        for (JsonNode condition : conditions) {
            String expression = condition.path("expression").asText();
            try {
                if (!Objects.equals(program(expression).eval(variables), true)) {
                    return false;
                }
            } catch (CelEvaluationException e) {
                errors.add("expression '" + expression + "' resulted in error: " + Rules.reason(e));
            } catch (CelValidationException e) {
                errors.add(String.valueOf(e.getMessage()));
            }
        }
        if (!errors.isEmpty()) {
            String all = String.join(", ", errors);
            throw new IllegalArgumentException(errors.size() == 1 ? all : "[" + all + "]");
        }
        return true;
    }

    private static Program program(String expression) throws CelValidationException, CelEvaluationException {
        Program known = COMPILED.getIfPresent(expression);
        if (known == null) {
            Cel cel = Environment.BASE
                    .toCelBuilder()
                    .setResultType(SimpleType.BOOL)
                    .addVar("object", SimpleType.DYN)
                    .addVar("oldObject", SimpleType.DYN)
                    .addVar("request", SimpleType.DYN)
                    .build();
            known = cel.createProgram(cel.compile(expression).getAst());
            COMPILED.put(expression, known);
        }
        return known;
    }
}
