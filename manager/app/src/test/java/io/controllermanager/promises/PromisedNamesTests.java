package io.controllermanager.promises;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What users write or read by name is what it was in the last release, with more, or the changelog names what is gone. */
class PromisedNamesTests {

    private static Set<String> now;

    /** Once, since a manager is started for it. */
    @BeforeAll
    static void read() throws Exception {
        now = PromisedNames.now();
    }

    @Test
    void areThereUnlessTheChangelogNamesThem() throws IOException {
        if (Promises.recording()) {
            Files.write(Promises.NAMES, now);
        }

        Set<String> named = Promises.namedBreaks();
        Set<String> gone = new TreeSet<>(Files.readAllLines(Promises.NAMES));
        gone.removeAll(now);
        gone.removeIf(line -> Promises.areNamed(named, line));

        assertThat(gone)
                .as(
                        "names that are gone or have another type, and that the newest section of CHANGELOG.md does not name under \"### Breaking\"")
                .isEmpty();
    }

    /** A pattern that finds nothing would promise nothing. */
    @Test
    void areOfAllKinds() {
        assertThat(now)
                .contains(
                        "property controller-manager.leader-election.lease-duration: Duration",
                        "property controller-manager.leader-election.on-loss: enum",
                        "property controller-manager.leader-election.on-loss=standby",
                        "property controller-manager.namespaces: List<String>",
                        "property controller-manager.controller.<name>.shards: Integer",
                        "flag --leader-elect",
                        "metric workqueue_depth: gauge",
                        "metric workqueue_depth{priority}",
                        "metric controller_runtime_reconcile_total: counter",
                        "metric leader_election_renew_duration_seconds: histogram",
                        "metric reflector_missing_permission{namespace}",
                        "metric controller_runtime_webhook_requests_total{webhook}",
                        "metric controller_manager_undone_writes_total{manager}",
                        "exit 0",
                        "exit 3",
                        "event LeaderElection: Normal",
                        "event ProgressDeadlineExceeded: Warning",
                        "event WritesUndone: Warning",
                        "annotation controller-manager.io/paused",
                        "annotation controller-manager.io/shards",
                        "goal generate",
                        "plugin crdDirectory",
                        "plugin role",
                        "alert ControllerManagerNoLeader: critical",
                        "archetype kind",
                        "chart image.repository",
                        "crd foos.samplecontroller.k8s.io/v1alpha1 spec.replicas",
                        "endpoint controllers/*: GET",
                        "endpoint controllers/*: POST",
                        "endpoint controllers/*{workers}: Number",
                        "endpoint controllers/*/*/*/*: GET",
                        "endpoint leaderelection: GET",
                        "path /actuator/controllers/{name}/queue",
                        "field controllers.controllers.lastError.message: String",
                        "field controllers.controllers.workers: Number",
                        "field informers.informers: List",
                        "field leaderelection.controllers.leading: Boolean");
    }

    @Test
    void eventsAreThoseThatThePageLists() throws IOException {
        String page = Files.readString(Promises.PROJECT.resolve("docs/operating.md"));

        assertThat(now.stream().filter(line -> line.startsWith("event ")))
                .containsExactlyInAnyOrderElementsOf(Pattern.compile("(?m)^\\| `(\\w+)` \\| (Normal|Warning) \\|")
                        .matcher(page)
                        .results()
                        .map(row -> "event " + row.group(1) + ": " + row.group(2))
                        .toList());
    }

    @Test
    void areNamedWithoutTheirTypesOrByThatOfWhichTheyAreAPart() {
        Set<String> breaks =
                Set.of("workqueue_depth", "rest_client_requests_total{host}", "controller-manager.x", "exit 2");

        assertThat(List.of(
                        "metric workqueue_depth: gauge",
                        "metric workqueue_depth{name}",
                        "metric rest_client_requests_total{host}",
                        "property controller-manager.x=fast",
                        "exit 2"))
                .allMatch(line -> Promises.areNamed(breaks, line));
        assertThat(List.of(
                        "metric workqueue_adds_total{name}",
                        "metric rest_client_requests_total: counter",
                        "metric rest_client_requests_total{code}",
                        "property controller-manager.x.y: Duration"))
                .noneMatch(line -> Promises.areNamed(breaks, line));
    }

    @Test
    void areBrokenByNameInTheNewestSectionAlone() {
        assertThat(Promises.namedBreaks("""
                        # Changelog

                        ## [Unreleased]

                        ### Breaking

                        - `io.controllermanager.Outcome.done` and `a{b}` are gone: use `End`.
                        - The property `left` stays.

                        ### Added

                        - `Other`

                        ## [0.1.0]

                        ### Breaking

                        - `Older`
                        """)).containsExactly("a{b}", "io.controllermanager.Outcome.done");
        assertThat(Promises.namedBreaks("# Changelog\n\n## [Unreleased]\n\n### Added\n\n- `Other`\n"))
                .isEmpty();
    }

    /** What the table of the page says: patches, and minor versions from 1.0 on. */
    @ParameterizedTest
    @CsvSource({
        "0.1.0, true",
        "0.2.0, true",
        "0.1.1, false",
        "0.1.10, false",
        "1.0.0, true",
        "1.0.1, false",
        "1.1.0, false",
        "10.0.0, true",
        "10.20.0, false"
    })
    void areBrokenByTheVersionsThatMay(String version, boolean may) {
        String changelog = "# Changelog\n\n## [" + version + "]\n\n### Breaking\n\n- `a`\n\n## [0.0.1]\n";

        if (may) {
            assertThat(Promises.namedBreaks(changelog)).containsExactly("a");
        } else {
            assertThatThrownBy(() -> Promises.namedBreaks(changelog))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageEndingWith("## [" + version + "]");
        }
    }
}
