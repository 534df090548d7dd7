package io.controllermanager.workqueue.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** How flows take turns. */
class WorkQueueFairnessTest extends QueueInVirtualTime {

    @Test
    void servesFlowsInTurn() throws InterruptedException {
        WorkQueue<String> fair = fairQueue();
        for (int i = 0; i < 1000; i++) {
            fair.add("crowded/" + i);
        }
        fair.add("quiet/0");
        fair.add("other/0");
        fair.add("quiet/1");
        assertThat(takeSome(fair, 7))
                .containsExactly("crowded/0", "quiet/0", "other/0", "crowded/1", "quiet/1", "crowded/2", "crowded/3");
        fair.add("quiet/2");
        assertThat(takeSome(fair, 2)).containsExactly("crowded/4", "quiet/2");
        fair.close();
    }

    @Test
    void putsPriorityBeforeFairness() throws InterruptedException {
        WorkQueue<String> fair = fairQueue();
        fair.add("quiet/0", WorkQueue.LOW_PRIORITY);
        fair.add("crowded/0");
        fair.add("crowded/1");
        fair.add("crowded/2", WorkQueue.LOW_PRIORITY);
        fair.add("crowded/2");
        fair.add("quiet/1");
        assertThat(takeSome(fair, 3)).containsExactly("crowded/0", "quiet/1", "crowded/1");
        assertThat(takeSome(fair, 2)).as("the one served for its age first").containsExactly("quiet/0", "crowded/2");
        fair.close();
    }

    @Test
    void remembersNoFlowWithoutKeys() throws InterruptedException {
        WorkQueue<String> fair = fairQueue();
        for (int i = 0; i < 2000; i++) {
            fair.add(i + "/a");
            fair.add(i + "/b", WorkQueue.LOW_PRIORITY);
        }
        fair.add("7/c");
        assertThat(fair.snapshot(2).flows()).isEqualTo(4000);
        assertThat(fair.snapshot(1).depthByFlow()).isEqualTo(Map.of("7", 3));
        takeSome(fair, 4001);
        assertThat(fair.snapshot().flows()).isZero();
        assertThat(fair.snapshot().depthByFlow()).isEmpty();
        fair.add("7/a");
        assertThat(fair.snapshot().depthByFlow()).isEqualTo(Map.of("7", 1));
        fair.close();
    }

    @Test
    void takesNoFlowForAFlow() throws InterruptedException {
        WorkQueue<String> fair = WorkQueue.<String>named("fair")
                .clock(time)
                .timer(time)
                .fairness(key -> key.startsWith("namespaced") ? "namespace" : null)
                .build();
        List.of("node a", "node b", "namespaced").forEach(fair::add);
        assertThat(takeSome(fair, 3)).containsExactly("node a", "namespaced", "node b");
        fair.close();
    }

    @Test
    void isAsItWasAfterAFlowCouldNotBeTold() throws InterruptedException {
        WorkQueue<String> fair = WorkQueue.<String>named("fair")
                .clock(time)
                .timer(time)
                .fairness(key -> key.substring(0, key.indexOf('/')))
                .build();
        assertThatThrownBy(() -> fair.add("no flow")).isInstanceOf(StringIndexOutOfBoundsException.class);
        assertThatThrownBy(() -> fair.addAfter("no flow", Duration.ofSeconds(1)))
                .isInstanceOf(StringIndexOutOfBoundsException.class);
        assertThat(fair.size() + fair.delayed() + time.scheduledTasks()).isZero();
        fair.add("a/b");
        assertThat(takeSome(fair, 1)).containsExactly("a/b");
        fair.close();
    }

    private WorkQueue<String> fairQueue() {
        return WorkQueue.<String>named("fair")
                .clock(time)
                .timer(time)
                .agingInterval(4)
                .fairness(key -> key.substring(0, key.indexOf('/')))
                .build();
    }

    private static List<String> takeSome(WorkQueue<String> from, int number) throws InterruptedException {
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            String key = Objects.requireNonNull(from.take());
            keys.add(key);
            from.done(key);
        }
        return keys;
    }
}
