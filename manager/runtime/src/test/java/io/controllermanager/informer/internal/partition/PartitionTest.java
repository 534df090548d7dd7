package io.controllermanager.informer.internal.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.controllermanager.informer.internal.delivery.SharedProcessor;
import io.controllermanager.informer.internal.store.Door;
import io.controllermanager.informer.internal.store.IndexedStore;
import io.controllermanager.informer.internal.store.WriteAnswers;
import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a reflector brings and what this process writes, in every order. */
class PartitionTest {

    private final VirtualTime time = new VirtualTime();
    private final Door door = new Door();
    private final IndexedStore<V1ConfigMap> store = new IndexedStore<>(door, null);
    private final Partition<V1ConfigMap> partition = new Partition<>(
            new Partitions.Parts<>(
                    "configmaps",
                    door,
                    store,
                    new SharedProcessor<>("informer-test-", time, time, delivery -> {}),
                    new HashMap<>(),
                    time,
                    (portion, sink) -> null),
            Portion.of(null),
            store,
            () -> {});

    @Test
    void theAnswerToAWriteThatComesAfterANewerMessageCoversNothing() {
        door.enter(() -> partition.replace(Map.of("n/a", object(5)), "5"));
        door.enter(() -> partition.put(object(8)));

        door.enter(() -> partition.written(new WriteAnswers.Answer.Stored<>("n/a", "n", object(7), 7), object(7)));

        assertThat(version()).isEqualTo("8");
    }

    @Test
    void theAnswerToAWriteThatComesAfterTheObjectsEndCoversNothing() {
        door.enter(() -> partition.replace(Map.of("n/a", object(5)), "5"));
        door.enter(() -> partition.remove(object(8)));

        door.enter(() -> partition.written(new WriteAnswers.Answer.Stored<>("n/a", "n", object(7), 7), object(7)));

        assertThat(store.getByKey("n/a")).isNull();
    }

    @Test
    void anOwnWriteIsSeenBeforeItsMessage() {
        door.enter(() -> partition.replace(Map.of("n/a", object(5)), "5"));

        door.enter(() -> partition.written(new WriteAnswers.Answer.Stored<>("n/a", "n", object(7), 7), object(7)));

        assertThat(version()).isEqualTo("7");
    }

    @Test
    void onlyTheWatchMovesWhatHasPassed() {
        door.enter(() -> partition.replace(Map.of("n/a", object(5)), "5"));
        door.enter(() -> partition.written(new WriteAnswers.Answer.Stored<>("n/a", "n", object(7), 7), object(7)));
        assertThat(hasPassed(5)).isTrue();
        assertThat(hasPassed(7)).isFalse();

        // The object itself, without another message.
        door.enter(() -> partition.put(object(7)));
        assertThat(hasPassed(7)).isTrue();
        door.enter(() -> partition.remove(object(8)));
        assertThat(hasPassed(8)).isTrue();
        door.enter(() -> partition.passed("9"));
        assertThat(hasPassed(9)).isTrue();

        door.enter(partition::restored);
        assertThat(hasPassed(1)).isFalse();
        door.enter(() -> partition.replace(Map.of(), "2"));
        assertThat(hasPassed(2)).isTrue();
        assertThat(hasPassed(3)).isFalse();
    }

    @Test
    void nothingIsChangedBesideTheDoor() {
        assertThatThrownBy(() -> partition.put(object(5))).hasMessage("not behind the door");
    }

    private boolean hasPassed(int version) {
        return partition.hasPassed(Map.of("configmaps", Integer.toString(version)));
    }

    private String version() {
        return store.getByKey("n/a").getMetadata().getResourceVersion();
    }

    private static V1ConfigMap object(int version) {
        return new V1ConfigMap()
                .metadata(new V1ObjectMeta()
                        .namespace("n")
                        .name("a")
                        .uid("uid-a")
                        .resourceVersion(Integer.toString(version)));
    }
}
