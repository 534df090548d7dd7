package io.controllermanager.workqueue.internal;

import io.controllermanager.time.internal.VirtualTime;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A queue that passes everything on, for tests to put a bug into one of its operations. */
class FaultyQueue extends WorkQueue<Integer> {

    final WorkQueue<Integer> queue;

    FaultyQueue(WorkQueue<Integer> queue) {
        super(WorkQueue.named("unused"), new VirtualTime());
        this.queue = queue;
    }

    @Override
    public String name() {
        return queue.name();
    }

    @Override
    public void add(Integer key, int priority) {
        queue.add(key, priority);
    }

    @Override
    public void addAfter(Integer key, Duration delay) {
        queue.addAfter(key, delay);
    }

    @Override
    public Duration addRateLimited(Integer key) {
        return queue.addRateLimited(key);
    }

    @Override
    public void addAgain(Integer key) {
        queue.addAgain(key);
    }

    @Override
    public void forget(Integer key) {
        queue.forget(key);
    }

    @Override
    public void renew(Integer key) {
        queue.renew(key);
    }

    @Override
    public @Nullable Integer take() throws InterruptedException {
        return queue.take();
    }

    @Override
    public @Nullable Integer takeWhile(BooleanSupplier wanted) throws InterruptedException {
        return queue.takeWhile(wanted);
    }

    @Override
    public void recall() {
        queue.recall();
    }

    @Override
    public void pause(boolean paused) {
        queue.pause(paused);
    }

    @Override
    public void done(Integer key) {
        queue.done(key);
    }

    @Override
    public int size() {
        return queue.size();
    }

    @Override
    public int delayed() {
        return queue.delayed();
    }

    @Override
    public void retryNow() {
        queue.retryNow();
    }

    @Override
    public void shutDown() {
        queue.shutDown();
    }

    @Override
    public boolean isShuttingDown() {
        return queue.isShuttingDown();
    }

    @Override
    public void close() {
        queue.close();
    }

    @Override
    public QueueSnapshot<Integer> snapshot(int limit) {
        return queue.snapshot(limit);
    }
}
