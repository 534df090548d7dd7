package io.controllermanager.informer.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class DoorTest {

    private final Door door = new Door();
    private final List<String> log = new ArrayList<>();

    private void log(String what) {
        log.add(what + (door.isEntered() ? " with the lock" : ""));
    }

    @Test
    void tellsWhoWaitsOnceTheLockIsFree() {
        AtomicBoolean reached = new AtomicBoolean();
        door.when(reached::get, () -> log("told"));

        door.enter(() -> {
            reached.set(true);
            door.afterwards(() -> log("afterwards"));
            log("changed");
        });

        assertThat(log).containsExactly("changed with the lock", "afterwards", "told");
    }

    @Test
    void doesOnceWhatIsToBeDoneAfterwards() {
        door.enter(() -> door.afterwards(() -> log("afterwards")));
        door.enter(() -> {});

        assertThat(log).containsExactly("afterwards");
    }

    @Test
    void tellsNobodyWhoOnlyAsks() {
        AtomicBoolean reached = new AtomicBoolean();
        door.when(reached::get, () -> log("told"));

        assertThat(door.ask(() -> {
                    reached.set(true);
                    return door.isEntered();
                }))
                .isTrue();

        assertThat(log).isEmpty();
    }

    @Test
    void isNotEnteredTwice() {
        assertThatThrownBy(() -> door.enter(() -> door.enter(() -> {}))).hasMessage("behind the door already");
    }
}
