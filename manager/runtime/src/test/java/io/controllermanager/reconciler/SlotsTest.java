package io.controllermanager.reconciler;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubernetes.client.extended.controller.reconciler.Request;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SlotsTest {

    @ParameterizedTest(
            name = "of {2} slots {0} are held and {1} are not ready: x makes that {3}, and may be changed: {4}")
    @CsvSource({
        "'', '', 2, x, true",
        "a, '', 2, a x, true",
        "a b, '', 2, a b, false",
        "a b c, '', 2, a b c, false",
        "a x, '', 2, a x, true",
        "a x, x, 2, a x, true",
        "'', a b, 2, '', false",
        "'', a, 2, x, true",
        "a, b, 2, a, false",
        "a, a, 2, a x, true",
        "a b, x, 2, a b, false",
        "a, b x, 2, a x, true",
        "'', a b x, 2, x, true",
        "'', '', 1, x, true",
    })
    void whoMayBeChanged(String held, String notReady, int most, String then, boolean allowed) {
        Slots entered = slots(held).enter("x", "ns/x", words(notReady), most);

        assertThat(entered).isEqualTo(slots(then));
        assertThat(entered.has("x")).isEqualTo(allowed);
    }

    @ParameterizedTest
    @CsvSource({"'', '', 2", "a, '', 1", "a, a, 1", "a, b, 0", "a b c, d, 0"})
    void anObjectCountsOnce(String held, String notReady, int free) {
        assertThat(slots(held).free(words(notReady), 2)).isEqualTo(free);
    }

    @Test
    void whatIsWrittenIsBasedOnWhatWasRead() {
        Slots slots = new Slots("v", Map.of("1", "ns/a", "2", "ns/b"), "7");

        assertThat(slots.without(List.of("1", "4"))).isEqualTo(new Slots("v", Map.of("2", "ns/b"), "7"));
        assertThat(slots.enter("3", "ns/c", Set.of(), 3).version()).isEqualTo("7");
    }

    @Test
    void thoseWhoWaitAreBroughtInInTurn() {
        AtomicLong turns = new AtomicLong(3);
        Map<Request, BudgetGate.Wait> waiting = new ConcurrentHashMap<>(Map.of(
                new Request("b"), new BudgetGate.Wait("v", 0),
                new Request("c"), new BudgetGate.Wait("v", 1),
                new Request("a"), new BudgetGate.Wait("v", 2),
                new Request("d"), new BudgetGate.Wait("other", 0)));

        assertThat(BudgetGate.next(waiting, "v", 0, turns)).isEmpty();
        assertThat(BudgetGate.next(waiting, "v", 1, turns)).containsExactly(new Request("b"));
        assertThat(BudgetGate.next(waiting, "v", 2, turns))
                .containsExactlyInAnyOrder(new Request("c"), new Request("a"));
        assertThat(BudgetGate.next(waiting, "v", 1, turns)).containsExactly(new Request("b"));
        assertThat(BudgetGate.next(waiting, "other", 5, turns)).containsExactly(new Request("d"));
    }

    private static Slots slots(String held) {
        return new Slots("v", words(held).stream().collect(Collectors.toMap(uid -> uid, uid -> "ns/" + uid)), null);
    }

    private static Set<String> words(String text) {
        return Stream.of(text.split(" ")).filter(word -> !word.isEmpty()).collect(Collectors.toSet());
    }
}
