package io.controllermanager.maven;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FileChangeTest {

    private static final String COMMITTED = """
        a: 1
        b: 2
        c: 3
        d: 4
        e: 5
        """;

    private final Generator generator = new Generator() {

        @Override
        public Map<String, String> generate(CompiledModule module) {
            return Map.of();
        }

        @Override
        public List<String> breaks(String committed, @Nullable String generated) {
            if (committed.isEmpty()) {
                throw new IllegalArgumentException("It is empty");
            }
            return generated != null && generated.contains("c") ? List.of() : List.of("c is gone");
        }
    };

    private List<FileChange> changes(Map<String, String> committed, Map<String, String> generated) {
        return FileChange.between(committed, generated, generator);
    }

    @Test
    void isThereForEachFileThatDiffers() {
        assertThat(changes(
                        Map.of("a", "c: 1\n", "b", "c: 1\n", "gone", "c: 1\n"),
                        Map.of("a", "c: 1\n", "b", "c: 2\n", "new", "c: 1\n")))
                .containsExactly(
                        new FileChange("b", "c: 1\n", "c: 2\n", List.of()),
                        new FileChange("gone", "c: 1\n", null, List.of("c is gone")),
                        new FileChange("new", null, "c: 1\n", List.of()));
    }

    @Test
    void isNotThereForLineEnds() {
        assertThat(changes(Map.of("a", "c: 1\r\nd: 2\r\n"), Map.of("a", "c: 1\nd: 2\n")))
                .isEmpty();
    }

    @Test
    void saysWhatBreaks() {
        assertThat(changes(Map.of("a", COMMITTED), Map.of("a", "b: 2\n")))
                .extracting(FileChange::breaks)
                .containsExactly(List.of("c is gone"));
    }

    /** As it comes from the archetype, before its sample has become somebody's type. */
    @Test
    void breaksNothingWhereNothingIsStoredYet() {
        String sample = "# Generated\n# Nothing is stored yet: so it says.\na: 1\n";

        assertThat(changes(Map.of("a", sample), Map.of("a", "# Generated\na: 1\n")))
                .isEmpty();
        assertThat(changes(Map.of("a", sample), Map.of("a", "# Generated\nb: 1\n")))
                .containsExactly(new FileChange("a", sample, "# Generated\nb: 1\n", List.of()));
    }

    @Test
    void namesTheFileThatCannotBeRead() {
        assertThatThrownBy(() -> changes(Map.of("a.yaml", ""), Map.of("a.yaml", "c")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a.yaml: It is empty");
    }

    @Test
    void showsTheDifference() {
        assertThat(new FileChange("a.yaml", COMMITTED, COMMITTED.replace("5", "6"), List.of()).difference())
                .isEqualTo("""
                    --- committed/a.yaml
                    +++ generated/a.yaml
                    @@ -2,4 +2,4 @@
                     b: 2
                     c: 3
                     d: 4
                    -e: 5
                    +e: 6\
                    """);
        assertThat(new FileChange("a.yaml", null, "a: 1\n", List.of()).difference())
                .isEqualTo("it is missing");
        assertThat(new FileChange("a.yaml", "a: 1\n", null, List.of()).difference())
                .isEqualTo("no class makes it");
    }

    @Test
    void readsWellAsAMessage() {
        assertThat(Messages.drift(
                        "config/crd",
                        List.of(new FileChange("a.yaml", "c: 1\n", "b: 1\n", List.of("c is gone"))),
                        "mvn generate"))
                .isEqualTo("""
                    config/crd/a.yaml is not what the classes say:
                    --- committed/a.yaml
                    +++ generated/a.yaml
                    @@ -1,1 +1,1 @@
                    -c: 1
                    +b: 1
                    config/crd/a.yaml would break objects that are stored:
                      c is gone
                    Keep what is there and add a field beside it, or change it in a new version and write a Converter \
                    between the two; without one, each version that is served has to take and keep what is stored in \
                    another. Once no stored object is broken, run
                    mvn generate -Dcontroller-manager.allow-breaking-changes=true\
                    """);
    }

    @Test
    void namesTheCommandThatWorksFromWhereMavenWasStarted() {
        assertThat(Messages.generate(null, Path.of("/project"), Path.of("/project")))
                .isEqualTo("mvn process-classes controller-manager:generate");
        assertThat(Messages.generate(null, Path.of("/project"), Path.of("/project/operators/website")))
                .isEqualTo("mvn -pl operators/website process-classes controller-manager:generate");
        assertThat(Messages.generate("make rights", Path.of("/project"), Path.of("/project/app")))
                .isEqualTo("make rights");
        assertThat(Messages.drift("crd", List.of(new FileChange("a.yaml", null, "b: 1\n", List.of())), "mvn generate"))
                .endsWith("it is missing\nRun this and commit the result:\nmvn generate");
    }
}
