package io.controllermanager.leaderelection.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.controllermanager.testing.support.Waiting;
import io.controllermanager.time.internal.StartedThreads;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Executors that share threads. */
class SharedThreadsTest {

    private final StartedThreads started = new StartedThreads("test-shared");
    private final SharedThreads threads = new SharedThreads(task -> SharedThreads.daemon(task, "test-shared"));
    private final SharedThreads.Serial one = threads.executor();
    private final SharedThreads.Serial other = threads.executor();

    @AfterEach
    void allThreadsEnd() throws InterruptedException {
        one.end();
        other.end();
        started.awaitEnd();
    }

    @Test
    void eachDoesItsTasksInOrderThoughOneFails() throws InterruptedException {
        List<Integer> done = new CopyOnWriteArrayList<>();
        CountDownLatch end = new CountDownLatch(1);
        one.execute(() -> {
            Thread.currentThread().setUncaughtExceptionHandler((thread, failure) -> done.add(-1));
            throw new IllegalStateException("on purpose");
        });
        IntStream.range(0, 1000).forEach(i -> one.execute(() -> done.add(i)));
        one.execute(end::countDown);
        Waiting.on(end);

        assertThat(done)
                .containsExactlyElementsOf(IntStream.range(-1, 1000).boxed().toList());
    }

    @Test
    void whatFindsNoThreadIsDoneWithTheNextTask() throws InterruptedException {
        AtomicBoolean full = new AtomicBoolean(true);
        SharedThreads few = new SharedThreads(task -> {
            if (full.getAndSet(false)) {
                throw new OutOfMemoryError("on purpose");
            }
            return SharedThreads.daemon(task, "test-shared");
        });
        SharedThreads.Serial executor = few.executor();
        List<Integer> done = new CopyOnWriteArrayList<>();
        CountDownLatch end = new CountDownLatch(1);
        assertThatThrownBy(() -> executor.execute(() -> done.add(1))).isInstanceOf(OutOfMemoryError.class);
        executor.execute(() -> done.add(2));
        executor.execute(end::countDown);
        executor.end();
        Waiting.on(end);

        assertThat(done).containsExactly(1, 2);
    }

    @Test
    void noneWaitsForAnother() throws InterruptedException {
        CountDownLatch hung = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        one.execute(() -> {
            try {
                hung.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        other.execute(done::countDown);
        Waiting.on(done);
        hung.countDown();
    }

    @Test
    void whatHasEndedDoesWhatItHasAndTakesNoMore() throws InterruptedException {
        CountDownLatch begin = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        one.execute(() -> {
            try {
                begin.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        one.execute(done::countDown);
        one.end();
        assertThatThrownBy(() -> one.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
        begin.countDown();
        Waiting.on(done);
    }

    @Test
    void afterAllHaveEndedThereMayBeMore() throws InterruptedException {
        one.end();
        other.end();
        SharedThreads.Serial third = threads.executor();
        CountDownLatch done = new CountDownLatch(1);
        third.execute(done::countDown);
        Waiting.on(done);
        third.end();
    }
}
