package io.controllermanager.informer;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/** Stands in for the thread pool that client-java's factory must be given and, here, never uses. */
final class NoThreads extends AbstractExecutorService {

    @Override
    public void execute(Runnable command) {
        throw new RejectedExecutionException("informers run on their own threads");
    }

    @Override
    public void shutdown() {
        // There is nothing to end.
    }

    @Override
    public List<Runnable> shutdownNow() {
        return List.of();
    }

    @Override
    public boolean isShutdown() {
        return true;
    }

    @Override
    public boolean isTerminated() {
        return true;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return true;
    }
}
