package io.controllermanager.testing.support;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.testing.support.SlowestClasses.Report;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SlowestClassesTest {

    private static final Instant BEGUN = Instant.parse("2026-01-01T12:00:00Z");

    @TempDir
    private Path project = Path.of("");

    @Test
    void readsTheReportsOfThisBuildInAllModules() throws IOException {
        report("one/target/surefire-reports/TEST-a.Quick.xml", "a.Quick", "0.5", BEGUN);
        report("two/target/failsafe-reports/TEST-b.SlowIT.xml", "b.SlowIT", "1,234.5", BEGUN.plusSeconds(1));
        report("two/target/surefire-reports/TEST-b.Older.xml", "b.Older", "9", BEGUN.minusSeconds(1));
        report("two/src/test/resources/TEST-none.xml", "none", "9", BEGUN);

        assertThat(SlowestClasses.reports(project, BEGUN))
                .containsExactlyInAnyOrder(new Report("a.Quick", 3, 0.5), new Report("b.SlowIT", 3, 1234.5));
    }

    @Test
    void saysHowManyThereAreAndWhichTookLongest() {
        List<Report> reports = IntStream.rangeClosed(1, 12)
                .mapToObj(i -> new Report("Class" + i, i, i))
                .toList();

        assertThat(SlowestClasses.summary(reports))
                .hasSize(11)
                .startsWith(
                        "78 tests in 12 classes took 78 s. The slowest:",
                        "    12.0 s     12 tests  Class12",
                        "    11.0 s     11 tests  Class11")
                .endsWith("     3.0 s      3 tests  Class3");
    }

    private void report(String path, String name, String seconds, Instant written) throws IOException {
        Path file = project.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(
                file,
                "<testsuite name=\"%s\" time=\"%s\" tests=\"0\"><testcase/><testcase/><testcase/></testsuite>"
                        .formatted(name, seconds));
        Files.setLastModifiedTime(file, FileTime.from(written));
    }
}
