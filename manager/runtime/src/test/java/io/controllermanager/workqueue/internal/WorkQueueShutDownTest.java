package io.controllermanager.workqueue.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.testing.support.Waiting;
import java.time.Duration;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** What becomes of keys and takers when a queue is shut down or closed. */
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
}
