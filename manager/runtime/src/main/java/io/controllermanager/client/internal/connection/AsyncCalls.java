package io.controllermanager.client.internal.connection;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.Dispatcher;

/** The threads of asynchronous calls. */
final class AsyncCalls {

    /** Watches are not counted here (their calls block their own threads), but callers' asynchronous calls are. */
    private static final int MAX_ASYNC_REQUESTS = 1_000;

    private AsyncCalls() {}

    /** One for a client; its threads are named after it, and end when they have had nothing to do for half a minute. */
    static Dispatcher dispatcher(String threadName) {
        AtomicInteger count = new AtomicInteger();
        ExecutorService threads =
                new ThreadPoolExecutor(0, Integer.MAX_VALUE, 30, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
                    Thread thread = new Thread(task, threadName + "-" + count.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        Dispatcher dispatcher = new Dispatcher(threads);
        dispatcher.setMaxRequests(MAX_ASYNC_REQUESTS);
        dispatcher.setMaxRequestsPerHost(MAX_ASYNC_REQUESTS);
        return dispatcher;
    }
}
