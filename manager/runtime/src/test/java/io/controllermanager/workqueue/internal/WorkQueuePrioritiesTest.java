package io.controllermanager.workqueue.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which priority comes first, which a key has, and that none starves. */
class WorkQueuePrioritiesTest extends QueueInVirtualTime {

    @Test
    void takesHigherPrioritiesFirst() throws InterruptedException {
        queue.add("low", WorkQueue.LOW_PRIORITY);
        queue.add("normal");
        queue.add("high", WorkQueue.HIGH_PRIORITY);
        queue.add("normal too");
        assertThat(queue.snapshot().depthByPriority())
                .isEqualTo(Map.of(WorkQueue.LOW_PRIORITY, 1, 0, 2, WorkQueue.HIGH_PRIORITY, 1));
        assertThat(queue.depthByPriority()).isEqualTo(queue.snapshot().depthByPriority());
        assertThat(takeAll()).containsExactly("high", "normal", "normal too", "low");
    }

    @Test
    void saysHowLongTheNextKeyOfAPriorityHasWaited() throws InterruptedException {
        assertThat(queue.longestWait()).isEqualTo(Duration.ZERO);
        queue.add("low", WorkQueue.LOW_PRIORITY);
        time.advance(Duration.ofSeconds(2));
        queue.add("normal");
        time.advance(Duration.ofSeconds(1));
        assertThat(queue.longestWait()).isEqualTo(Duration.ofSeconds(3));
        assertThat(takeAll()).containsExactly("normal", "low");
        assertThat(queue.longestWait()).isEqualTo(Duration.ZERO);
        try (WorkQueue<String> unmeasured =
                WorkQueue.<String>named("unmeasured").clock(time).timer(time).build()) {
            unmeasured.add("a");
            assertThat(unmeasured.longestWait()).isNull();
        }
    }

    @Test
    void raisesThePriorityOfAKeyThatIsProcessed() throws InterruptedException {
        queue.add("foo", WorkQueue.LOW_PRIORITY);
        queue.take();
        queue.add("foo", WorkQueue.LOW_PRIORITY);
        queue.add("foo", 1);
        queue.add("bar");
        queue.done("foo");
        assertThat(takeAll()).containsExactly("foo", "bar");
    }

    @Test
    void retriesAKeyAtThePriorityItWasTakenWith() throws InterruptedException {
        queue.add("low", WorkQueue.LOW_PRIORITY);
        queue.add("lower", WorkQueue.LOW_PRIORITY);
        queue.take();
        queue.addRateLimited("low");
        queue.done("low");
        queue.take();
        queue.addAfter("lower", Duration.ofMillis(1));
        queue.done("lower");
        time.advance(Duration.ofMillis(1));
        queue.add("normal");
        assertThat(queue.snapshot().depthByPriority()).isEqualTo(Map.of(WorkQueue.LOW_PRIORITY, 2, 0, 1));
        assertThat(takeAll()).containsExactly("normal", "low", "lower");
    }

    @Test
    void retriesAKeyAtThePriorityThatIsSaid() throws InterruptedException {
        queue.add("high", WorkQueue.HIGH_PRIORITY);
        queue.add("low", WorkQueue.LOW_PRIORITY);
        queue.take();
        queue.addRateLimited("high", WorkQueue.LOW_PRIORITY);
        queue.done("high");
        queue.take();
        queue.addAfter("low", Duration.ofMillis(1), Causes.NONE, 7);
        queue.done("low");
        time.advance(Duration.ofMillis(1));
        assertThat(queue.snapshot().depthByPriority()).isEqualTo(Map.of(WorkQueue.LOW_PRIORITY, 1, 7, 1));
        assertThat(takeAll()).containsExactly("low", "high");

        queue.add("at once");
        queue.take();
        queue.addAfter("at once", Duration.ZERO, Causes.NONE, WorkQueue.HIGH_PRIORITY);
        queue.done("at once");
        assertThat(queue.depthByPriority()).isEqualTo(Map.of(WorkQueue.HIGH_PRIORITY, 1));
    }

    @Test
    void putsAKeyBackAtThePriorityItWasTakenWith() throws InterruptedException {
        queue.add("low", WorkQueue.LOW_PRIORITY);
        queue.take();
        queue.addAgain("low");
        queue.done("low");
        assertThat(queue.snapshot().depthByPriority()).isEqualTo(Map.of(WorkQueue.LOW_PRIORITY, 1));
    }

    @Test
    void doesNotLetLowPrioritiesStarve() throws InterruptedException {
        queue.add("low 1", WorkQueue.LOW_PRIORITY);
        queue.add("low 2", WorkQueue.LOW_PRIORITY);
        List<String> taken = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            queue.add("normal " + i);
            queue.add("normal too " + i);
            taken.add(takeOne());
        }
        assertThat(taken.indexOf("low 1")).isEqualTo(3);
        assertThat(taken.indexOf("low 2")).isEqualTo(7);
    }

    @Test
    void treatsAllKeysAlikeWithoutPriorities() throws InterruptedException {
        WorkQueue<String> plain = WorkQueue.<String>named("plain")
                .clock(time)
                .timer(time)
                .priorities(false)
                .build();
        plain.add("low", WorkQueue.LOW_PRIORITY);
        plain.add("high", WorkQueue.HIGH_PRIORITY);
        assertThat(plain.take()).isEqualTo("low");
        plain.close();
    }

    @Test
    void keepsItsOrderWithManyPriorities() throws InterruptedException {
        List<String> expected = new ArrayList<>();
        for (int priority = 100; priority > 0; priority--) {
            expected.add("key " + priority);
            queue.add("key " + (101 - priority), 101 - priority);
        }
        List<String> taken = takeAll();
        assertThat(taken).containsExactlyInAnyOrderElementsOf(expected);
        taken.removeIf(key -> taken.indexOf(key) % 4 == 3); // those served for their age
        assertThat(taken).isSubsetOf(expected).startsWith("key 100", "key 99", "key 98", "key 97");
    }
}
