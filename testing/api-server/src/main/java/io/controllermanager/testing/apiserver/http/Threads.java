package io.controllermanager.testing.apiserver.http;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;

/** Threads for requests, one each, since a watch keeps its own for as long as it lasts: virtual ones where there are any. */
final class Threads {

    private Threads() {}

    static ExecutorService executor(String name) {
        try {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            Class<?> type = Class.forName("java.lang.Thread$Builder");
            builder = type.getMethod("name", String.class, long.class).invoke(builder, name, 0L);
            ThreadFactory factory = (ThreadFactory) type.getMethod("factory").invoke(builder);
            return (ExecutorService) Executors.class
                    .getMethod("newThreadPerTaskExecutor", ThreadFactory.class)
                    .invoke(null, factory);
        } catch (ReflectiveOperationException e) {
            AtomicLong count = new AtomicLong();
            return Executors.newCachedThreadPool(task -> {
                Thread thread = new Thread(task, name + count.getAndIncrement());
                thread.setDaemon(true);
                return thread;
            });
        }
    }
}
