package io.controllermanager.testing.bothservers.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The reference tells of each difference by its name, and of no other. */
class DifferencesInDocsTest {

    private static final Pattern ROW = Pattern.compile("(?m)^\\| `([A-Z_]+)` \\|");

    @Test
    void areTheSuites() throws IOException {
        String reference = Files.readString(Path.of("..", "..", "docs", "embedded-api-server.md"));
        List<String> named = ROW.matcher(reference)
                .results()
                .map((MatchResult row) -> row.group(1))
                .toList();
        assertThat(named)
                .hasSizeLessThanOrEqualTo(10)
                .containsExactlyInAnyOrderElementsOf(
                        Arrays.stream(Difference.values()).map(Enum::name).toList());
    }
}
