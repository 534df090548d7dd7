package io.controllermanager.promises;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The public types are those of the last release, with more, or the changelog names what is broken. */
class PublicTypesTests {

    @TempDir
    Path directory;

    @Test
    void breakNothingThatTheChangelogDoesNotName() throws IOException {
        Path now = directory.resolve("now.jar");
        TypesJar.write(now, Promises.packages());
        if (Promises.recording()) {
            TypesJar.write(Promises.TYPES, Promises.packages());
        }

        Set<String> breaks = new TreeSet<>(TypeBreaks.between(Promises.TYPES, now));
        breaks.removeAll(Promises.namedBreaks());

        assertThat(breaks)
                .as("breaks for users that the newest section of CHANGELOG.md does not name under \"### Breaking\"")
                .isEmpty();
    }

    /** Without one package its types are gone, which is what a break looks like. */
    @Test
    void areMissedWhereTheyAreGone() throws IOException {
        Set<String> packages = new TreeSet<>(Promises.packages());
        Path before = directory.resolve("before.jar");
        TypesJar.write(before, packages);
        packages.remove("io.controllermanager.schedule");
        Path now = directory.resolve("now.jar");
        TypesJar.write(now, packages);

        assertThat(TypeBreaks.between(before, now))
                .contains("io.controllermanager.schedule.Schedule", "io.controllermanager.schedule.Slot");
        assertThat(TypeBreaks.between(now, before)).isEmpty();
    }
}
