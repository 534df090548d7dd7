package io.controllermanager.testing.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

class TestRecordTest {

    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
    private static final String BROKEN = "broken";

    @TempDir
    private Path directory = Path.of("");

    private final String configured = System.getProperty(TestRecord.PROPERTY, "");
    private Path file = Path.of("");

    @BeforeEach
    void configure() {
        file = directory.resolve("made/record.tsv");
        System.setProperty(TestRecord.PROPERTY, file.toString());
        System.setProperty(TestRecord.SUBJECT, "");
        System.setProperty(BROKEN, "true");
    }

    @AfterEach
    void forget() {
        System.setProperty(TestRecord.PROPERTY, configured);
        System.clearProperty(TestRecord.SUBJECT);
        System.clearProperty(BROKEN);
    }

    @Test
    void theLastWordOnAClassCounts() {
        TestRecord record = new TestRecord(file, "one");
        assertThat(record.passed()).isEmpty();

        record.add(NOON, true, "a.Passed");
        record.add(NOON, false, "a.Mended");
        record.add(NOON, true, "a.Mended");
        record.add(NOON, true, "a.Broken");
        record.add(NOON, false, "a.Broken");

        assertThat(record.passed()).containsExactlyInAnyOrder("a.Passed", "a.Mended");
        assertThat(new TestRecord(file, "two").passed()).isEmpty();
    }

    @Test
    void aRunGoesOnWithWhatHasNotPassed() throws Exception {
        assertThat(run()).isEqualTo(3);
        assertThat(lines())
                .containsExactlyInAnyOrder("passed\t" + Sound.class.getName(), "failed\t" + Fragile.class.getName());

        System.clearProperty(BROKEN);
        assertThat(run()).as("the class that failed").isEqualTo(2);
        assertThat(run()).isZero();
    }

    private List<String> lines() throws Exception {
        return Files.readAllLines(file).stream()
                .map(line -> line.substring(line.indexOf("\t\t") + 2))
                .toList();
    }

    /** Runs the two classes below, and says how many tests there were. */
    private static long run() {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectClass(Sound.class), selectClass(Fragile.class))
                .build();
        SummaryGeneratingListener summary = new SummaryGeneratingListener();
        LauncherFactory.create().execute(request, summary);
        return summary.getSummary().getTestsStartedCount();
    }

    static class Sound {
        @Test
        void passes() {
            assertThat(true).isTrue();
        }
    }

    static class Fragile {
        @Test
        void passes() {
            assertThat(true).isTrue();
        }

        @Nested
        class Inner {
            @Test
            void failsWhereToldTo() {
                assertThat(Boolean.getBoolean(BROKEN)).isFalse();
            }
        }
    }
}
