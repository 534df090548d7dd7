package io.controllermanager.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.controllermanager.client.Registration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EventChannelTest {

    private final List<String> received = new ArrayList<>();

    @Test
    void holdsUpToItsCapacityUntilThereIsAReceiver() {
        EventChannel<String> channel = new EventChannel<>(2);
        assertThat(channel.send("a")).isTrue();
        assertThat(channel.send("b")).isTrue();
        assertThat(channel.send("c")).isFalse();
        Registration receiver = channel.receive(received::add);
        assertThat(channel.send("d")).isTrue();
        assertThat(received).containsExactly("a", "b", "d");

        receiver.close();
        assertThat(channel.send("e")).isTrue();
        assertThat(received).containsExactly("a", "b", "d");
        channel.receive(received::add);
        assertThat(received).containsExactly("a", "b", "d", "e");
    }

    @Test
    void feedsOneControllerAtATime() {
        EventChannel<String> channel = new EventChannel<>();
        Registration first = channel.receive(received::add);
        assertThatIllegalStateException().isThrownBy(() -> channel.receive(event -> {}));
        first.close();
        channel.receive(event -> {}).close();
    }
}
