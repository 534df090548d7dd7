package io.controllermanager.manager.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.openapi.ApiClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How shards that are opened share the passes through what caches hold. */
class RequeueTest {

    private final VirtualTime time = new VirtualTime();
    private final List<List<Integer>> passes = new CopyOnWriteArrayList<>();
    private final List<String> log = new CopyOnWriteArrayList<>();
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch release = new CountDownLatch(1);
    private final List<Consumer<IntPredicate>> sources = new CopyOnWriteArrayList<>();
    private final HostLoop loop = new HostLoop(new HostBuilder(
                    Leadership.always(new ApiClient()), new FakeCluster(log), time, time, name -> HostFixture.NO_EVENTS)
            .parts());
    private final Requeue requeue = new Requeue("c", sources, loop);

    @AfterEach
    void end() {
        release.countDown();
        IntStream.range(0, 20).forEach(requeue::end);
        loop.stop();
        HostFixture.awaitThreadsEnded();
    }

    private void begin(int shard) {
        loop.post(() -> requeue.begin(shard));
    }

    private static List<Integer> those(IntPredicate shards) {
        return IntStream.range(0, 20).filter(shards).boxed().toList();
    }

    private void passesWait(IntPredicate shards) {
        passes.add(those(shards));
        begun.countDown();
        try {
            release.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void thoseThatComeDuringAPassShareTheNext() throws Exception {
        sources.add(this::passesWait);
        begin(0);
        begun.await();
        IntStream.range(1, 16).forEach(this::begin);
        loop.post(() -> {
            requeue.end(5);
            // It is opened again: what was gone through before does not count.
            requeue.end(0);
            requeue.begin(0);
            log.add("under way: " + requeue.isUnderWay(0));
            release.countDown();
        });

        await().until(() -> IntStream.range(0, 16).noneMatch(requeue::isUnderWay));
        assertThat(log).containsExactly("under way: true");
        assertThat(passes)
                .containsExactly(
                        List.of(0),
                        IntStream.range(0, 16)
                                .filter(shard -> shard != 5)
                                .boxed()
                                .toList());
    }

    @Test
    void itIsUnderWayBeforeTheShardIsOpen() {
        sources.add(shards -> log.add("goes through it"));
        loop.post(() -> {
            requeue.begin(3);
            log.add("under way: " + requeue.isUnderWay(3));
        });

        await().until(() -> log.size() == 2 && !requeue.isUnderWay(3));
        assertThat(log).containsExactly("under way: true", "goes through it");
    }

    @Test
    void aSourceThatFailsIsTriedAgainAloneAndHoldsNothingElseUp() {
        boolean[] fails = {true};
        sources.add(shards -> {
            if (fails[0]) {
                log.add("fails for " + those(shards));
                throw new IllegalStateException("broken");
            }
            log.add("succeeds for " + those(shards));
        });
        sources.add(shards -> passes.add(those(shards)));
        begin(0);
        await().until(() -> time.scheduledTasks() == 1);
        assertThat(log).containsExactly("fails for [0]");
        assertThat(passes).containsExactly(List.of(0));
        begin(1);
        await().until(() -> passes.size() == 2);
        await().until(() -> time.scheduledTasks() == 1);
        assertThat(passes).containsExactly(List.of(0), List.of(1));
        assertThat(log).containsExactly("fails for [0]", "fails for [0, 1]");
        fails[0] = false;
        time.advance(Duration.ofSeconds(5));

        await().until(() -> !requeue.isUnderWay(0) && !requeue.isUnderWay(1));
        assertThat(log).endsWith("succeeds for [0, 1]");
        assertThat(passes).hasSize(2);
    }
}
