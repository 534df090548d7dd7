package io.controllermanager.apiserver.access;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.controllermanager.apiserver.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What somebody would give without having it. */
class EscalationTest {

    /** Groups, resources, verbs and names of what is held and of what is given. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
            [''], [pods], [get], []               | [''], [pods], [get], []                | true
            [''], [pods], [get, list], []         | [''], [pods], [get], []                | true
            [''], [pods], [get], []               | [''], [pods], [get, list], []          | false
            [''], [pods], ['*'], []               | [''], [pods], [get, list], []          | true
            [''], [pods], [get], []               | [''], [pods], ['*'], []                | false
            [''], ['*'], [get], []                | [''], [pods, pods/log], [get], []      | true
            [''], [pods], [get], []               | [''], [pods/log], [get], []            | false
            [''], ['*/log'], [get], []            | [''], [pods/log], [get], []            | true
            [''], ['*/log'], [get], []            | [''], [pods], [get], []                | false
            ['*'], [pods], [get], []              | [apps], [pods], [get], []              | true
            [''], [pods], [get], []               | ['*'], [pods], [get], []               | false
            [''], [pods], [get], []               | [''], [pods], [get], [a]               | true
            [''], [pods], [get], [a]              | [''], [pods], [get], []                | false
            [''], [pods], [get], [a]              | [''], [pods], [get], [a]               | true
            [''], [pods], [get], [a]              | [''], [pods], [get], [a, b]            | false
            [''], [pods, secrets], [get, list], []| [''], [secrets, pods], [list, get], [a]| true
            [], [], [], []                        | [], [], [], []                         | true
            """)
    void coversWhatIsHeld(String held, String given, boolean covered) throws IOException {
        assertThat(Escalation.missing(List.of(resources(held)), List.of(resources(given)))
                        .isEmpty())
                .isEqualTo(covered);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
            [/metrics]     | [/metrics]          | true
            [/metrics]     | [/metrics, /other]  | false
            ['/metrics/*'] | [/metrics/a]        | true
            ['/metrics/*'] | ['/metrics/*']      | true
            ['/metrics/*'] | [/metrics]          | false
            ['*']          | ['/metrics/*']      | true
            """)
    void coversPaths(String held, String given, boolean covered) throws IOException {
        assertThat(Escalation.missing(
                                List.of(rule("nonResourceURLs: " + held + ", verbs: [get]")),
                                List.of(rule("nonResourceURLs: " + given + ", verbs: [get]")))
                        .isEmpty())
                .isEqualTo(covered);
    }

    @Test
    void tellsOfWhatIsMissing() throws IOException {
        assertThat(Escalation.missing(
                        List.of(resources("[''], [pods], [get], []")),
                        List.of(
                                resources("[''], [pods], [get, list, watch], []"),
                                resources("[apps], [deployments], [get], [a, b]"),
                                resources("[''], [pods], [delete], []"),
                                rule("nonResourceURLs: [/a, /b], verbs: [get]"))))
                .containsExactly(
                        "{APIGroups:[\"\"], Resources:[\"pods\"], Verbs:[\"list\" \"watch\" \"delete\"]}",
                        "{APIGroups:[\"apps\"], Resources:[\"deployments\"], ResourceNames:[\"a\"], Verbs:[\"get\"]}",
                        "{APIGroups:[\"apps\"], Resources:[\"deployments\"], ResourceNames:[\"b\"], Verbs:[\"get\"]}",
                        "{NonResourceURLs:[\"/a\"], Verbs:[\"get\"]}",
                        "{NonResourceURLs:[\"/b\"], Verbs:[\"get\"]}");
    }

    @Test
    void missesEverythingUnlessItIsHeld() throws IOException {
        assertThat(Escalation.missing(List.of(resources("['*'], ['*'], ['*'], []")), Escalation.EVERYTHING))
                .containsExactly("{NonResourceURLs:[\"*\"], Verbs:[\"*\"]}");
        assertThat(Escalation.missing(Escalation.EVERYTHING, Escalation.EVERYTHING))
                .isEmpty();
    }

    private static PolicyRule resources(String columns) throws IOException {
        JsonNode lists = Json.readYaml(("[" + columns + "]").getBytes(StandardCharsets.UTF_8));
        return rule("apiGroups: " + lists.path(0) + ", resources: " + lists.path(1) + ", verbs: " + lists.path(2)
                + ", resourceNames: " + lists.path(3));
    }

    private static PolicyRule rule(String rule) throws IOException {
        return PolicyRule.ofRole(Json.readYaml(("rules: [{" + rule + "}]").getBytes(StandardCharsets.UTF_8)))
                .get(0);
    }
}
