package io.controllermanager.client.internal.transport;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.controllermanager.time.internal.VirtualTime;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

class RenewableTest {

    private static final String BAD = "bad: ";

    private final VirtualTime time = new VirtualTime();
    private final Logger logger = (Logger) LoggerFactory.getLogger(Renewable.class);
    private final ListAppender<ILoggingEvent> logged = LinesWith.text("password /p");
    private @Nullable String file = "first";

    @BeforeEach
    void listen() {
        logger.addAppender(logged);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(logged);
    }

    private Renewable<String> renewable(Duration lifetime) {
        return new Renewable<>("password /p", "first", () -> file, this::check, lifetime, time);
    }

    private void check(String read) {
        if (read.startsWith(BAD)) {
            throw new IllegalArgumentException(read.substring(BAD.length()));
        }
    }

    private List<String> lines(Level level) {
        return List.copyOf(logged.list).stream()
                .filter(event -> event.getLevel() == level)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    @ParameterizedTest(name = "a lifetime of {0} s: due after {1} s is {2}")
    @CsvSource({"5, 4, false", "5, 5, true", "0, 0, true"})
    void isDueAtAnAge(long lifetime, long age, boolean due) {
        Renewable<String> renewable = renewable(Duration.ofSeconds(lifetime));

        time.advance(Duration.ofSeconds(age));

        assertThat(renewable.isDue()).isEqualTo(due);
    }

    @Test
    void takesAnotherOneAndSaysSo() {
        Renewable<String> renewable = renewable(Duration.ofSeconds(5));
        file = "second";
        time.advance(Duration.ofSeconds(5));

        assertThat(renewable.readAgain()).isTrue();

        assertThat(renewable.value()).isEqualTo("second");
        assertThat(renewable.isDue()).isFalse();
        assertThat(lines(Level.INFO)).containsExactly("The password /p has been renewed");
    }

    @Test
    void saysNothingOfOneThatIsAsItWas() {
        Renewable<String> renewable = renewable(Duration.ofSeconds(5));
        time.advance(Duration.ofSeconds(5));

        assertThat(renewable.readAgain()).isFalse();
        file = null;
        time.advance(Duration.ofSeconds(5));
        assertThat(renewable.readAgain()).isFalse();

        assertThat(renewable.value()).isEqualTo("first");
        assertThat(logged.list).isEmpty();
    }

    @Test
    void readsAtMostOnceASecond() {
        Renewable<String> renewable = renewable(Duration.ofSeconds(5));
        file = "second";

        assertThat(renewable.readAgain()).isFalse();
        time.advance(Duration.ofSeconds(1));
        assertThat(renewable.readAgain()).isTrue();
    }

    @Test
    void readsEachTimeWhatIsAtHand() {
        Renewable<String> renewable = renewable(Duration.ZERO);
        file = "second";

        assertThat(renewable.readAgain()).isTrue();
        assertThat(renewable.value()).isEqualTo("second");
    }

    @Test
    void keepsTheFormerOneWhileAnotherIsOfNoUseAndSaysSoOnce() {
        Renewable<String> renewable = renewable(Duration.ofSeconds(5));
        for (String read : List.of(BAD + "it is half written", BAD + "it is half written", BAD + "it is empty")) {
            file = read;
            time.advance(Duration.ofSeconds(5));
            assertThat(renewable.readAgain()).isFalse();
            assertThat(renewable.value()).isEqualTo("first");
        }

        assertThat(lines(Level.WARN))
                .containsExactly(
                        "The password /p cannot be renewed, the former one stays in use: it is half written",
                        "The password /p cannot be renewed, the former one stays in use: it is empty");
        assertThat(logged.list)
                .allSatisfy(event -> assertThat(event.getThrowableProxy()).isNull());
    }

    @Test
    void reportsTheSameTroubleAgainOnceAllWasWellBetween() {
        Renewable<String> renewable = renewable(Duration.ofSeconds(5));
        for (String read : List.of(BAD + "it is empty", "first", BAD + "it is empty", "second")) {
            file = read;
            time.advance(Duration.ofSeconds(5));
            renewable.readAgain();
        }

        assertThat(renewable.value()).isEqualTo("second");
        assertThat(lines(Level.WARN)).hasSize(2);
    }
}
