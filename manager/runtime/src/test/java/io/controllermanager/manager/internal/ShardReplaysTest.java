package io.controllermanager.manager.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How shards that are opened share the passes through what is held whole. */
class ShardReplaysTest {

    private final List<List<Integer>> passes = new CopyOnWriteArrayList<>();
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch release = new CountDownLatch(1);
    private final SharedReplay replay = new SharedReplay(shards -> {
        passes.add(IntStream.range(0, 20).filter(shards).boxed().toList());
        begun.countDown();
        try {
            release.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    });

    private Thread open(int shard) {
        Thread thread = new Thread(() -> replay.replay(shard), "shard-" + shard);
        thread.start();
        return thread;
    }

    private static void awaitEnd(Thread thread) {
        await().until(() -> !thread.isAlive());
    }

    @Test
    void thoseThatComeDuringAPassShareTheNext() throws Exception {
        Thread first = open(0);
        begun.await();
        List<Thread> others = IntStream.range(1, 16).mapToObj(this::open).toList();
        await().until(() -> others.stream().allMatch(thread -> thread.getState() == Thread.State.WAITING));
        Thread closed = others.get(4);
        closed.interrupt();
        awaitEnd(closed);
        release.countDown();

        awaitEnd(first);
        others.forEach(ShardReplaysTest::awaitEnd);
        assertThat(passes)
                .containsExactly(List.of(0), IntStream.range(1, 16).boxed().toList());
    }

    @Test
    void aPassThatFailsIsMadeAgain() {
        boolean[] fails = {true};
        SharedReplay failing = new SharedReplay(shards -> {
            if (fails[0]) {
                throw new IllegalStateException("broken");
            }
            passes.add(List.of(0));
        });
        assertThatThrownBy(() -> failing.replay(0)).hasMessage("broken");
        fails[0] = false;
        failing.replay(0);
        assertThat(passes).hasSize(1);
    }
}
