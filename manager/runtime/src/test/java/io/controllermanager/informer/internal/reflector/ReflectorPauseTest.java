package io.controllermanager.informer.internal.reflector;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.time.internal.VirtualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReflectorPauseTest {

    private final VirtualTime time = new VirtualTime();
    private final ReflectorPause pause = new ReflectorPause(time, time);

    @ParameterizedTest(name = "HTTP {0} that asks for {1} s after {2} failures: {3} to {4} ms")
    @CsvSource({
        "500, 0, 0, 800, 1600",
        "500, 0, 1, 1600, 3200",
        "500, 0, 20, 30000, 60000",
        "0, 0, 1, 1600, 3200",
        "503, 5, 0, 5000, 5000",
        "503, 5, 20, 30000, 60000",
        "429, 0, 0, 800, 1600",
        "429, 0, 20, 30000, 60000",
        "429, 1, 0, 1000, 1000",
        "429, 1, 20, 1000, 1000",
        "429, 64, 20, 64000, 64000"
    })
    void waits(int code, int asked, int failures, int least, int most) {
        for (int i = 0; i < failures; i++) {
            pause.afterFailure(500, Duration.ZERO);
        }

        assertThat(pause.afterFailure(code, Duration.ofSeconds(asked)))
                .isBetween(Duration.ofMillis(least), Duration.ofMillis(most));
    }

    @Test
    void doesNotCountThatItIsTurnedAway() {
        for (int i = 0; i < 20; i++) {
            pause.afterFailure(429, Duration.ofSeconds(1));
        }

        assertThat(pause.afterFailure(500, Duration.ZERO)).isLessThan(Duration.ofMillis(1601));
    }

    @Test
    void beginsAnewAfterAQuietTime() {
        for (int i = 0; i < 20; i++) {
            pause.afterFailure(500, Duration.ZERO);
        }
        time.advance(Duration.ofMinutes(2).plusMillis(1));

        assertThat(pause.afterFailure(500, Duration.ZERO)).isLessThan(Duration.ofMillis(1601));
    }

    @Test
    void beginsAnewOnceItsFailuresAreForgotten() {
        for (int i = 0; i < 20; i++) {
            pause.afterFailure(500, Duration.ZERO);
        }
        pause.reset();

        assertThat(pause.afterFailure(500, Duration.ZERO)).isLessThan(Duration.ofMillis(1601));
    }
}
