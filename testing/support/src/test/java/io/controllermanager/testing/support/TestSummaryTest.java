package io.controllermanager.testing.support;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.testing.support.TestSummary.Report;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TestSummaryTest {

    private static final Instant BEGUN = Instant.parse("2026-01-01T12:00:00Z");

    @TempDir
    private Path project = Path.of("");

    @Test
    void readsTheReportsOfThisBuildInAllModules() throws IOException {
        report("one/target/surefire-reports/TEST-a.Quick.xml", "a.Quick", "0.5", BEGUN, "");
        report("two/target/failsafe-reports/TEST-b.SlowIT.xml", "b.SlowIT", "1,234.5", BEGUN.plusSeconds(1), "");
        report("two/target/surefire-reports/TEST-b.Older.xml", "b.Older", "9", BEGUN.minusSeconds(1), "");
        report("two/src/test/resources/TEST-none.xml", "none", "9", BEGUN, "");

        assertThat(TestSummary.reports(project, BEGUN))
                .containsExactlyInAnyOrder(
                        new Report("a.Quick", 2, 0.5, List.of(), List.of()),
                        new Report("b.SlowIT", 2, 1234.5, List.of(), List.of()));
    }

    @Test
    void tellsRedTestsFromThoseThatWereRedOnce() throws IOException {
        report("one/target/surefire-reports/TEST-a.Mixed.xml", "a.Mixed", "1", BEGUN, """
                <testcase classname="a.Mixed" name="fails"><failure type="X">X: no
                at a</failure><rerunFailure>X: no</rerunFailure></testcase>
                <testcase classname="a.Mixed" name="throws"><error>Y</error></testcase>
                <testcase classname="a.Mixed" name="slips"><flakyFailure><stackTrace>Z</stackTrace></flakyFailure></testcase>
                """);

        assertThat(TestSummary.summary(TestSummary.reports(project, BEGUN)))
                .endsWith(
                        "Red at first, green when it ran once more: a.Mixed.slips: Z",
                        "Red: a.Mixed.fails: X: no",
                        "Red: a.Mixed.throws: Y");
    }

    @Test
    void saysHowManyThereAreAndWhichTookLongest() {
        List<Report> reports = IntStream.rangeClosed(1, 12)
                .mapToObj(i -> new Report("Class" + i, i, i, List.of(), List.of()))
                .toList();

        assertThat(TestSummary.summary(reports))
                .hasSize(11)
                .startsWith(
                        "78 tests in 12 classes took 78 s. The slowest:",
                        "    12.0 s     12 tests  Class12",
                        "    11.0 s     11 tests  Class11")
                .endsWith("     3.0 s      3 tests  Class3");
    }

    private void report(String path, String name, String seconds, Instant written, String cases) throws IOException {
        Path file = project.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(
                file,
                "<testsuite name=\"%s\" time=\"%s\" tests=\"0\"><testcase/><testcase/>%s</testsuite>"
                        .formatted(name, seconds, cases));
        Files.setLastModifiedTime(file, FileTime.from(written));
    }
}
