package io.controllermanager.reconciler;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.reconciler.Slots.Answer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SlotsTest {

    @ParameterizedTest(name = "of {3} slots {1} are held and {2} are not ready: {0} may {4}")
    @CsvSource({
        "x, '', '', 2, TAKE",
        "x, a, '', 2, TAKE",
        "x, a b, '', 2, WAIT",
        "x, a b c, '', 2, WAIT",
        "x, a x, '', 2, PASS",
        "x, a x, x, 2, PASS",
        "x, '', a b, 2, WAIT",
        "x, '', a, 2, TAKE",
        "x, a, b, 2, WAIT",
        "x, a, a, 2, TAKE",
        "x, a b, x, 2, PASS",
        "x, '', a b x, 2, PASS",
        "x, '', '', 1, TAKE",
    })
    void whoMayBeChanged(String uid, String held, String notReady, int most, Answer expected) {
        assertThat(slots(held).ask(uid, words(notReady), most)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"'', '', 2", "a, '', 1", "a, a, 1", "a, b, 0", "a b c, d, 0"})
    void anObjectCountsOnce(String held, String notReady, int free) {
        assertThat(slots(held).free(words(notReady), 2)).isEqualTo(free);
    }

    @Test
    void aKeyMayHaveTheSlotsOfSeveralObjectsThatHadItsName() {
        Slots slots = new Slots("v", Map.of("1", "ns/a", "2", "ns/b", "3", "ns/a"), "7");

        assertThat(slots.uidsOf("ns/a")).containsExactlyInAnyOrder("1", "3");
        assertThat(slots.without(List.of("1", "3", "4"))).isEqualTo(new Slots("v", Map.of("2", "ns/b"), "7"));
    }

    private static Slots slots(String held) {
        return new Slots("v", words(held).stream().collect(Collectors.toMap(uid -> uid, uid -> "ns/" + uid)), null);
    }

    private static Set<String> words(String text) {
        return Stream.of(text.split(" ")).filter(word -> !word.isEmpty()).collect(Collectors.toSet());
    }
}
