package io.controllermanager.controller;

import java.lang.reflect.Method;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Threads for workers, named after their controller. */
final class WorkerThreads {

    private WorkerThreads() {}

    /** Daemon threads: a reconciler that never ends must not keep the process alive. */
    static ThreadFactory platform(String controller) {
        AtomicLong number = new AtomicLong();
        return task -> {
            Thread thread = new Thread(task, prefix(controller) + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    /** Virtual threads, or platform threads on a JVM that has no virtual ones (before 21). */
    static ThreadFactory virtualIfPossible(String controller) {
        ThreadFactory virtual = virtual(prefix(controller));
        return virtual != null ? virtual : platform(controller);
    }

    private static @Nullable ThreadFactory virtual(String prefix) {
        // This is compiled for Java 17, which does not know Thread.ofVirtual().name(prefix, 1).factory().
        try {
            Class<?> builderType = Class.forName("java.lang.Thread$Builder");
            Method name = builderType.getMethod("name", String.class, long.class);
            Method factory = builderType.getMethod("factory");
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            return (ThreadFactory) factory.invoke(name.invoke(builder, prefix, 1L));
        } catch (ReflectiveOperationException | RuntimeException notHere) {
            return null;
        }
    }

    private static String prefix(String controller) {
        return controller + "-worker-";
    }
}
