package io.controllermanager.app.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.app.monitoring.AlertRules.Alert;
import io.controllermanager.app.monitoring.AlertRules.Promtool;
import io.controllermanager.app.support.Manifests;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

class AlertRulesTests {

    private static final Path TESTS = Manifests.configDirectory().resolve("prometheus/alerts_test.yaml");
    private static final Path DOCS = Manifests.configDirectory().resolveSibling("docs");
    private static final Pattern JDK_PROGRAM = Pattern.compile("\\b(jcmd|jstack|jmap)\\b");

    @Test
    void theObjectAndTheChartsFileHoldTheSame() throws Exception {
        Map<String, Object> object = new Yaml().load(Files.readString(AlertRules.OBJECT));
        Map<String, Object> file = new Yaml().load(Files.readString(AlertRules.FILE));
        assertThat(object.get("spec")).isEqualTo(file);
    }

    @Test
    @Tag("system")
    void promtoolHasNothingToSay() throws Exception {
        assertThat(AlertRules.promtool("", "check", "rules", "--lint=all", AlertRules.FILE.toString()))
                .isEqualTo(new Promtool(
                        0,
                        "Checking " + AlertRules.FILE + "\n  SUCCESS: "
                                + AlertRules.all().size() + " rules found\n\n"));
    }

    @Test
    @Tag("system")
    void eachFiresAndIsSilentWhenItShould() throws Exception {
        Promtool result = AlertRules.promtool("", "test", "rules", TESTS.toString());
        assertThat(result.exitCode()).as(result.output()).isZero();

        Map<String, Object> tests = new Yaml().load(Files.readString(TESTS));
        assertThat(cases(tests, true)).containsAll(names());
        assertThat(cases(tests, false)).containsAll(names());
    }

    /** What is tested at all, with alerts or without. */
    private static List<String> cases(Map<String, Object> tests, boolean firing) {
        return AlertRules.maps(tests, "tests")
                .flatMap(test -> AlertRules.maps(test, "alert_rule_test"))
                .filter(test -> AlertRules.<List<?>>value(test, "exp_alerts").isEmpty() != firing)
                .map(test -> AlertRules.<String>value(test, "alertname"))
                .toList();
    }

    @Test
    void eachSaysHowUrgentItIsAndWhatToDo() throws Exception {
        for (Alert alert : AlertRules.all()) {
            assertThat(alert.labels().get("severity")).as(alert.name()).isIn("critical", "warning");
            assertThat(alert.annotations())
                    .as(alert.name())
                    .containsOnlyKeys("summary", "description", "runbook")
                    .containsEntry("runbook", "docs/runbooks/" + alert.name() + ".md");
            assertThat(Files.readString(DOCS.resolve("runbooks/" + alert.name() + ".md")))
                    .startsWith("# " + alert.name() + "\n\nSeverity: "
                            + alert.labels().get("severity") + "\n")
                    .contains("## Meaning\n", "## Impact\n", "## Diagnosis\n", "## Mitigation\n");
        }
    }

    @Test
    void eachHasAPageThatIsListedAndEachPageOfAnAlertsNameIsOfOne() throws Exception {
        String operating = Files.readString(DOCS.resolve("operating.md"));
        try (Stream<Path> pages = Files.list(DOCS.resolve("runbooks"))) {
            assertThat(pages.map(page -> page.getFileName().toString().replace(".md", ""))
                            .filter(page -> page.startsWith("ControllerManager")
                                    || !operating.contains("](runbooks/" + page + ".md)")))
                    .containsExactlyInAnyOrderElementsOf(names());
        }
        assertThat(AlertRules.all())
                .allSatisfy(alert -> assertThat(operating)
                        .contains("[" + alert.name().replace("ControllerManager", "") + "](runbooks/" + alert.name()
                                + ".md) | " + alert.labels().get("severity") + " |"));
    }

    /** The image has a JRE, and asks for a token. */
    @Test
    void pagesNameOnlyWhatCanBeRunAndReached() throws Exception {
        assertThat(Files.readAllLines(DOCS.resolve("operating.md")))
                .contains("## Ask a pod", "### Stacks of all threads");
        for (String name : names()) {
            String page = Files.readString(DOCS.resolve("runbooks/" + name + ".md"));
            assertThat(page.lines().filter(line -> JDK_PROGRAM.matcher(line).find()))
                    .as(name)
                    .allSatisfy(line -> assertThat(line).contains("kubectl debug "));
            if (page.contains("/actuator")) {
                assertThat(page).as(name).contains("](../operating.md#ask-a-pod)");
            }
            if (page.contains("kill -QUIT")) {
                assertThat(page).as(name).contains("'kill -QUIT 1'", "](../operating.md#stacks-of-all-threads)");
            }
        }
    }

    private static List<String> names() throws IOException {
        return AlertRules.all().stream().map(Alert::name).toList();
    }
}
