package io.controllermanager.workqueue.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.testing.support.Waiting;
import java.time.Duration;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** What becomes of keys and takers when a queue is shut down, drained or closed. */
class WorkQueueShutDownTest extends QueueInVirtualTime {

    @Test
    void dropsWhatNobodyHasTakenWhenClosed() throws Exception {
        Future<String> waiting = others.submit(queue::take);
        queue.add("first");
        assertThat(Waiting.on(waiting)).isEqualTo("first");
        queue.add("foo");
        queue.add("first");
        queue.addAfter("bar", Duration.ofSeconds(1));
        queue.close();
        queue.add("added after shutdown");
        queue.addAfter("added after shutdown", Duration.ZERO);
        queue.addRateLimited("added after shutdown");
        queue.done("first");
        assertThat(queue.isShuttingDown()).isTrue();
        assertThat(queue.take()).isNull();
        assertThat(queue.take()).isNull();
        assertThat(queue.size() + queue.delayed() + time.scheduledTasks()).isZero();
    }

    @Test
    void sendsWaitingTakersAwayAtShutDown() throws Exception {
        Future<String> one = others.submit(queue::take);
        Future<String> two = others.submit(queue::take);
        queue.shutDown();
        assertThat(Waiting.on(one)).isNull();
        assertThat(Waiting.on(two)).isNull();
    }

    @Test
    void drainsUntilEveryKeyIsDone() throws Exception {
        queue.add("foo");
        queue.add("bar");
        queue.add("baz");
        queue.addAfter("delayed", Duration.ofSeconds(1));
        queue.take();
        queue.take();
        Future<Boolean> drain = others.submit(() -> queue.shutDownWithDrain(Duration.ofMinutes(1)));
        await().until(queue::isShuttingDown);
        queue.add("too late");
        assertThat(queue.delayed()).isZero();
        assertThat(queue.take()).isEqualTo("baz");
        assertThat(queue.take()).isNull();
        queue.done("foo");
        queue.done("bar");
        assertThat(drain.isDone()).isFalse();
        queue.done("baz");
        assertThat(Waiting.on(drain)).isTrue();
    }

    @Test
    void endsADrainAtItsTimeLimit() throws Exception {
        queue.add("foo");
        queue.take();
        Future<Boolean> drain = others.submit(() -> queue.shutDownWithDrain(Duration.ofMinutes(1)));
        await().until(() -> time.scheduledTasks() == 1);
        time.advance(Duration.ofSeconds(59));
        assertThat(drain.isDone()).isFalse();
        time.advance(Duration.ofSeconds(1));
        assertThat(Waiting.on(drain)).isFalse();
    }

    @Test
    void letsTakersHaveWhatWasQueuedBeforeShutDown() throws InterruptedException {
        queue.add("taken");
        queue.take();
        queue.add("taken");
        queue.add("queued", WorkQueue.HIGH_PRIORITY);
        queue.addAfter("delayed", Duration.ofSeconds(1));
        queue.shutDown();
        queue.add("too late");
        assertThat(queue.delayed() + time.scheduledTasks()).isZero();
        assertThat(queue.take()).isEqualTo("queued");
        assertThat(queue.take()).isNull();
        queue.done("taken");
        assertThat(queue.take()).isEqualTo("taken");
        assertThat(queue.take()).isNull();
    }

    @Test
    void drainsAfterShutDownAsWell() throws Exception {
        queue.add("foo");
        queue.take();
        queue.shutDown();
        Future<Boolean> drain = others.submit(() -> queue.shutDownWithDrain(Duration.ofMinutes(1)));
        await().until(() -> time.scheduledTasks() == 1);
        assertThat(drain.isDone()).isFalse();
        queue.done("foo");
        assertThat(Waiting.on(drain)).isTrue();
    }
}
