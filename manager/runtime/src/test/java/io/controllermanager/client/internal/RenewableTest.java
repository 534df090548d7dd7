package io.controllermanager.client.internal;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.controllermanager.time.internal.VirtualTime;
import java.time.Duration;
import java.time.Instant;
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
    private @Nullable Instant end;

    @BeforeEach
    void listen() {
        logger.addAppender(logged);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(logged);
    }

    private Renewable<String> renewable(@Nullable Duration lifetime) {
        return new Renewable<>("password /p", "first", () -> file, this::check, lifetime, time);
    }

    private @Nullable Instant check(String read) {
        if (read.startsWith(BAD)) {
            throw new IllegalArgumentException(read.substring(BAD.length()));
        }
        return end;
    }

    private List<String> lines(Level level) {
        return logged.list.stream()
                .filter(event -> event.getLevel() == level)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    @ParameterizedTest(name = "a lifetime of {0} s, an end after {1} s: due after {2} s is {3}")
    @CsvSource({
        "5,    ,   4, false",
        "5,    ,   5, true",
        "5, 100,   5, true",
        " ,    , 900, false",
        " , 900, 839, false",
        " , 900, 841, true",
        // Almost over, but asked for less than a minute ago.
        " ,  30,  20, false",
        " ,  30,  60, true"
    })
    void isDueAtAnAgeOrBeforeItsEnd(@Nullable Long lifetime, @Nullable Long endAfter, long age, boolean due) {
        end = endAfter == null ? null : time.now().plusSeconds(endAfter);
        Renewable<String> renewable = renewable(lifetime == null ? null : Duration.ofSeconds(lifetime));

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
