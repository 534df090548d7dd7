package io.controllermanager.spring.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GoDurationTests {

    @ParameterizedTest
    @CsvSource({
        "15s, PT15S, 15s",
        "1m30s, PT1M30S, 1m30s",
        "500ms, PT0.5S, 500ms",
        "1.5h, PT1H30M, 1h30m",
        ".5s, PT0.5S, 500ms",
        "1h0m0s, PT1H, 1h",
        "-2m, PT-2M, -2m",
        "1s500ms, PT1.5S, 1.5s",
        "250us, PT0.00025S, 0.25ms",
        "0s, PT0S, 0s"
    })
    void readsAndWrites(String go, Duration duration, String written) {
        assertThat(GoDuration.parse(go)).isEqualTo(duration);
        assertThat(GoDuration.format(duration)).isEqualTo(written);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "15", "s", "15 s", "1d", "1m30", "abc", "99999999999h"})
    void refuses(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> GoDuration.parse(text));
    }
}
