package io.controllermanager.apiserver.cel;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.http.StatusException.Cause;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is remembered of a schema shows in nothing but the time. */
class RulesTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    private static ObjectNode schema(String rule) throws Exception {
        return (ObjectNode) JSON.readTree("""
                {"type": "object", "properties": {"spec": {"type": "object",
                 "properties": {"size": {"type": "integer"}},
                 "x-kubernetes-validations": [{"rule": "%s"}]}}}""".formatted(rule));
    }

    private static List<Cause> judge(Rules rules, String object) throws Exception {
        List<Cause> causes = new ArrayList<>();
        rules.judge(JSON.readTree(object), null, causes, new ArrayList<>());
        return causes;
    }

    @Test
    void theSameSchemaHasTheSameRules() throws Exception {
        List<Cause> wrong = new ArrayList<>();
        Rules first = Rules.compile("", schema("self.size < 3"), wrong);
        Rules again = Rules.compile("", schema("self.size < 3"), wrong);

        assertThat(wrong).isEmpty();
        assertThat(again).isSameAs(first);
        assertThat(judge(again, "{\"spec\": {\"size\": 3}}")).hasSize(1);
        assertThat(judge(again, "{\"spec\": {\"size\": 2}}")).isEmpty();
    }

    @Test
    void whatIsWrongIsToldEachTimeAndWhereItIs() throws Exception {
        for (String path : List.of("spec.a", "spec.b", "spec.a")) {
            List<Cause> wrong = new ArrayList<>();
            Rules.compile(path, schema("self.depth < 3"), wrong);

            assertThat(wrong)
                    .singleElement()
                    .extracting(Cause::field)
                    .isEqualTo(path + ".properties[spec].x-kubernetes-validations[0].rule");
        }
    }

    @Test
    void aSchemaThatTheCallerChangesIsAnotherOne() throws Exception {
        ObjectNode schema = schema("self.size < 5");
        Rules.compile("", schema, new ArrayList<>());
        schema.setAll(schema("self.size < 4"));

        assertThat(judge(Rules.compile("", schema, new ArrayList<>()), "{\"spec\": {\"size\": 4}}"))
                .hasSize(1);
        assertThat(judge(Rules.compile("", schema("self.size < 5"), new ArrayList<>()), "{\"spec\": {\"size\": 4}}"))
                .isEmpty();
    }
}
