package io.controllermanager.apiserver.cel;

import static dev.cel.common.CelOverloadDecl.newMemberOverload;
import static io.controllermanager.apiserver.cel.Functions.INT;
import static io.controllermanager.apiserver.cel.Functions.STRING;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.cel.common.types.ListType;
import dev.cel.common.types.SimpleType;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelFunctionBinding;
import io.controllermanager.apiserver.cel.Functions.Kind;
import java.util.ArrayList;
import java.util.List;

/** The functions that search in strings (apiserver, pkg/cel/library/regex.go). */
final class Regexes {

    private Regexes() {}

    @SuppressWarnings("rawtypes") // The class of a list knows nothing of its elements.
    static void addTo(Functions functions) {
        Kind<List> strings = new Kind<>(ListType.create(SimpleType.STRING), List.class);
        functions
                .member("find", STRING, STRING, STRING, (text, regex) -> String.join("", findAll(text, regex, 1)))
                .member("findAll", strings, STRING, STRING, (text, regex) -> findAll(text, regex, -1))
                .add(
                        "findAll",
                        id -> newMemberOverload(id, strings.cel(), STRING.cel(), STRING.cel(), INT.cel()),
                        id -> CelFunctionBinding.from(
                                id,
                                List.of(String.class, String.class, Long.class),
                                given -> findAll((String) given[0], (String) given[1], (Long) given[2])));
    }

    private static List<String> findAll(String text, String regex, long limit) throws CelEvaluationException {
        try {
            List<String> found = new ArrayList<>();
            Matcher matcher = Pattern.compile(regex).matcher(text);
            while ((limit < 0 || found.size() < limit) && matcher.find()) {
                found.add(matcher.group());
            }
            return found;
        } catch (PatternSyntaxException e) {
            throw new CelEvaluationException("Illegal regex: " + e.getMessage(), e);
        }
    }
}
