package io.controllermanager.workqueue.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.controllermanager.testing.support.Waiting;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/**
 * How keys pass through a work queue one by one, beyond {@link ClientGoCasesTest} and {@link ControllerRuntimeCasesTest}.
 */
class WorkQueueTest extends QueueInVirtualTime {

    @Test
    void keepsAKeyFromASecondWorkerUntilTheFirstIsDone() throws Exception {
        queue.add("foo");
        queue.take();
        queue.add("foo");
        Future<String> second = others.submit(queue::take);
        queue.add("bar");
        assertThat(Waiting.on(second)).isEqualTo("bar");
        queue.done("foo");
        assertThat(queue.take()).isEqualTo("foo");
    }

    @Test
    void standsAtTheEndWhenAddedAgainWhileProcessed() throws InterruptedException {
        queue.add("foo");
        queue.take();
        queue.add("foo");
        queue.add("bar");
        queue.add("baz");
        assertThat(queue.take()).isEqualTo("bar");
        queue.done("foo");
        assertThat(takeAll()).containsExactly("baz", "foo");
    }

    @Test
    void ignoresDoneForAKeyThatNobodyHas() throws InterruptedException {
        queue.add("foo");
        queue.done("foo");
        queue.done("bar");
        assertThat(takeAll()).containsExactly("foo");
    }

    @Test
    void losesNoKeyToATakerThatIsInterrupted() throws Exception {
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        CompletableFuture<Thread> thread = new CompletableFuture<>();
        others.execute(() -> {
            thread.complete(Thread.currentThread());
            try {
                thrown.completeExceptionally(new AssertionError("took " + queue.take()));
            } catch (InterruptedException e) {
                thrown.complete(e);
            }
        });
        Waiting.on(thread).interrupt();
        assertThat(Waiting.on(thrown)).isInstanceOf(InterruptedException.class);
        queue.add("foo");
        assertThat(queue.take()).isEqualTo("foo");
    }

    @Test
    void losesNoKeyToAMeterThatThrows() throws InterruptedException {
        boolean[] broken = {false};
        SimpleMeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, new MockClock() {
            @Override
            public long wallTime() {
                if (broken[0]) {
                    throw new IllegalStateException("broken");
                }
                return super.wallTime();
            }
        });
        try (WorkQueue<String> measured = WorkQueue.<String>named("measured")
                .clock(time)
                .timer(time)
                .meterRegistry(registry)
                .build()) {
            broken[0] = true;
            assertThatThrownBy(() ->
                            registry.get("workqueue.queue.duration").timer().record(Duration.ofSeconds(1)))
                    .hasMessage("broken");
            for (int i = 0; i < 3; i++) {
                measured.add("a");
                assertThat(measured.take()).isEqualTo("a");
                measured.done("a");
            }
            assertThat(measured.snapshot().processing()).isEmpty();
        }
    }

    @Test
    void refusesNonsense() {
        assertThatThrownBy(() -> WorkQueue.named("")).hasMessageContaining("name");
        assertThatThrownBy(() -> WorkQueue.named("foo").build()).hasMessageContaining("foo");
        assertThatThrownBy(() -> WorkQueue.named("foo").agingInterval(1)).hasMessageContaining("1");
    }
}
