package io.controllermanager.workqueue.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a snapshot tells of a queue. */
class QueueSnapshotTest extends QueueInVirtualTime {

    @Test
    void tellsWhatIsInIt() throws InterruptedException {
        queue.add("worked on");
        queue.take();
        time.advance(Duration.ofSeconds(3));
        queue.add("ready");
        queue.addAfter("delayed", Duration.ofSeconds(5));
        time.advance(Duration.ofSeconds(1));
        QueueSnapshot<String> snapshot = queue.snapshot();
        assertThat(snapshot.processing()).isEqualTo(Map.of("worked on", Duration.ofSeconds(4)));
        assertThat(snapshot.delayed()).isEqualTo(Map.of("delayed", Duration.ofSeconds(4)));
        assertThat(snapshot.depthByPriority()).isEqualTo(Map.of(0, 1));
    }

    @Test
    void countsTheTimeWithAWorkerFromTheFirstLookWithoutMeters() throws InterruptedException {
        WorkQueue<String> plain =
                WorkQueue.<String>named("plain").clock(time).timer(time).build();
        plain.add("foo");
        plain.take();
        time.advance(Duration.ofSeconds(3));
        assertThat(plain.snapshot().processing()).isEqualTo(Map.of("foo", Duration.ZERO));
        time.advance(Duration.ofSeconds(2));
        assertThat(plain.snapshot().processing()).isEqualTo(Map.of("foo", Duration.ofSeconds(2)));
        plain.done("foo");
        plain.add("foo");
        plain.take();
        assertThat(plain.snapshot().processing()).isEqualTo(Map.of("foo", Duration.ZERO));
        plain.close();
    }

    @Test
    void listsWhatMattersMost() throws InterruptedException {
        for (int i = 0; i < 20; i++) {
            queue.add("worked on " + i);
            queue.take();
            time.advance(Duration.ofMillis(1));
        }
        for (int i = 0; i < 20; i++) {
            int seconds = 1 + i * 7 % 20; // in no order, so that the heap has something to do
            queue.addAfter("in " + seconds + " s", Duration.ofSeconds(seconds));
        }
        QueueSnapshot<String> snapshot = queue.snapshot(3);
        assertThat(snapshot.processing().keySet()).containsExactly("worked on 0", "worked on 1", "worked on 2");
        assertThat(snapshot.processing()).containsEntry("worked on 0", Duration.ofMillis(20));
        assertThat(snapshot.processingKeys()).isEqualTo(20);
        assertThat(snapshot.delayed().keySet()).containsExactly("in 1 s", "in 2 s", "in 3 s");
        assertThat(snapshot.delayed()).containsEntry("in 3 s", Duration.ofSeconds(3));
        assertThat(snapshot.delayedKeys()).isEqualTo(20);
        assertThat(List.copyOf(queue.snapshot(100).delayed().values()))
                .hasSize(20)
                .isSorted();

        for (int failures : new int[] {2, 5, 1, 4, 3}) {
            for (int i = 0; i < failures; i++) {
                queue.addRateLimited("failed " + failures + " times");
            }
        }
        assertThat(queue.snapshot(3).retries().keySet())
                .containsExactly("failed 5 times", "failed 4 times", "failed 3 times");
        assertThat(queue.snapshot(3).retriedKeys()).isEqualTo(5);
        QueueSnapshot<String> none = queue.snapshot(0);
        assertThat(none.processing()).isEmpty();
        assertThat(none.delayed()).isEmpty();
        assertThat(none.retries()).isEmpty();
        assertThatThrownBy(() -> queue.snapshot(-1)).hasMessageContaining("-1");
    }
}
