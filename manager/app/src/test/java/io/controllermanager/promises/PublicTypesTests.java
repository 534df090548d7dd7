package io.controllermanager.promises;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The public types are those of the last release, with more, or the changelog names what is broken. */
class PublicTypesTests {

    @TempDir
    static Path directory;

    private static Path now;

    @BeforeAll
    static void write() throws IOException {
        now = directory.resolve("now.jar");
        TypesJar.write(now, Promises.packages());
        if (Promises.recording()) {
            Files.copy(now, Promises.TYPES, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    @Test
    void breakNothingThatTheChangelogDoesNotName() throws IOException {
        Set<String> breaks = new TreeSet<>(TypeBreaks.between(Promises.TYPES, now));
        breaks.removeAll(Promises.namedBreaks());

        assertThat(breaks)
                .as("breaks for users that the newest section of CHANGELOG.md does not name under \"### Breaking\"")
                .isEmpty();
    }

    /** Also types in other types; and none that packaging adds, so that a record does not depend on what is built. */
    @Test
    void areThoseThatSourcesHave() throws IOException {
        for (Path types : List.of(now, Promises.TYPES)) {
            try (JarFile jar = new JarFile(types.toFile())) {
                assertThat(jar.stream().map(JarEntry::getName))
                        .as("%s", types)
                        .contains(
                                "io/controllermanager/client/Patch$Json.class",
                                "io/controllermanager/controller/ControllerDescriptor$Builder.class",
                                "io/controllermanager/event/ResourceEvent$Created.class",
                                "io/controllermanager/webhook/Verdict$Refusal.class")
                        .noneMatch(name -> name.contains("__"));
            }
        }
    }

    /** Without one package its types are gone, which is what a break looks like. */
    @Test
    void areMissedWhereTheyAreGone() throws IOException {
        Set<String> packages = new TreeSet<>(Promises.packages());
        packages.remove("io.controllermanager.webhook");
        Path less = directory.resolve("less.jar");
        TypesJar.write(less, packages);

        assertThat(TypeBreaks.between(now, less))
                .contains("io.controllermanager.webhook.Verdict", "io.controllermanager.webhook.Verdict.Refusal");
        assertThat(TypeBreaks.between(less, now)).isEmpty();
    }
}
