package io.controllermanager.informer.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.client.Registration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class WaitersTest {

    private final Waiters waiters = new Waiters();
    private final List<String> told = new ArrayList<>();
    private int version = 1;

    private Registration add(String name, int wanted) {
        return add(wanted, () -> told.add(name));
    }

    private Registration add(int wanted, Runnable tell) {
        return waiters.add(() -> version >= wanted, tell);
    }

    private void reach(int newVersion) {
        version = newVersion;
        waiters.look();
    }

    @Test
    void tellsAtOnceWhatIsTheCaseAlready() {
        add("a", 1);

        assertThat(told).containsExactly("a");
    }

    @Test
    void tellsEachOnceWhenItIsTheCase() {
        add("b", 2);
        add("c", 3);
        reach(1);
        assertThat(told).isEmpty();
        reach(2);
        assertThat(told).containsExactly("b");
        reach(4);
        reach(5);

        assertThat(told).containsExactly("b", "c");
    }

    @Test
    void tellsOnceWhenAllThingsHaveTold() {
        Registration waiting = Waiters.all(List.of(one -> add(2, one), one -> add(3, one)), () -> told.add("all"));
        reach(2);
        assertThat(told).isEmpty();
        reach(3);
        assertThat(told).containsExactly("all");
        waiting.close();
        Waiters.all(List.of(), () -> told.add("none"));

        assertThat(told).containsExactly("all", "none");
    }

    @Test
    void doesNotTellThoseWhoWaitNoMore() {
        Registration waiting = add("b", 2);
        add("c", 2);
        waiting.close();
        reach(2);

        assertThat(told).containsExactly("c");
    }
}
