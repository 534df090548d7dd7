package io.controllermanager.promises;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What users write or read by name is what it was in the last release, with more, or the changelog names what is gone. */
class PromisedNamesTests {

    @Test
    void areThereUnlessTheChangelogNamesThem() throws IOException {
        Set<String> now = PromisedNames.now();
        if (Promises.recording()) {
            Files.write(Promises.NAMES, now);
        }

        Set<String> named = Promises.namedBreaks();
        Set<String> gone = new TreeSet<>(Files.readAllLines(Promises.NAMES));
        gone.removeAll(now);
        // The kind of name is for the list alone.
        gone.removeIf(name -> named.contains(name.substring(name.indexOf(' ') + 1)));

        assertThat(gone)
                .as(
                        "names that are gone and that the newest section of CHANGELOG.md does not name under \"### Breaking\"")
                .isEmpty();
    }

    /** A pattern that finds nothing would promise nothing. */
    @Test
    void areOfAllKinds() throws IOException {
        assertThat(PromisedNames.now())
                .contains(
                        "property controller-manager.leader-election.resource-name",
                        "property controller-manager.controller.<name>.shards",
                        "flag --leader-elect",
                        "metric workqueue_depth",
                        "metric controller_runtime_reconcile",
                        "metric leader_election_master_status",
                        "annotation controller-manager.io/paused",
                        "annotation controller-manager.io/shards",
                        "goal generate",
                        "plugin crdDirectory",
                        "plugin role",
                        "alert ControllerManagerNoLeader",
                        "archetype kind",
                        "chart image.repository",
                        "crd foos.samplecontroller.k8s.io/v1alpha1 spec.replicas",
                        "field controllers.controllers.lastError.message",
                        "field informers.informers.resource",
                        "field leaderelection.controllers.leading");
    }

    @Test
    void areBrokenByNameInTheNewestSectionAlone() {
        assertThat(Promises.namedBreaks("""
                        # Changelog

                        ## [Unreleased]

                        ### Breaking

                        - `Outcome.done` and `Outcome` are gone: use `End`.
                        - The property `left` stays.

                        ### Added

                        - `Other`

                        ## [0.1.0]

                        ### Breaking

                        - `Older`
                        """)).containsExactly("Outcome", "Outcome.done");
        assertThat(Promises.namedBreaks("# Changelog\n\n## [Unreleased]\n\n### Added\n\n- `Other`\n"))
                .isEmpty();
    }
}
