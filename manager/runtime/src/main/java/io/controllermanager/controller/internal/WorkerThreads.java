package io.controllermanager.controller.internal;

import java.lang.reflect.Method;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;

/** Threads for workers, named after their controller. */
public final class WorkerThreads {

    private WorkerThreads() {}

    /**
     * Makes threads named {@code <controller>-worker-<number>}.
     *
     * @throws UnsupportedOperationException if they are to be virtual and the JVM has none (before 21)
     */
    public static ThreadFactory of(String controller, boolean virtual) {
        return virtual ? virtual(controller) : platform(controller);
    }

    /** Daemon threads: a reconciler that never ends must not keep the process alive. */
    private static ThreadFactory platform(String controller) {
        AtomicLong number = new AtomicLong();
        return task -> {
            Thread thread = new Thread(task, prefix(controller) + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    /** Whether this JVM has virtual threads (21 and later have). */
    public static boolean virtualAvailable() {
        return Runtime.version().feature() >= 21;
    }

    private static ThreadFactory virtual(String controller) {
        if (!virtualAvailable()) {
            throw new UnsupportedOperationException(
                    "virtual threads need Java 21 or later, this is " + Runtime.version());
        }
        try {
            // This is compiled for Java 17, which does not know Thread.ofVirtual().
            Method ofVirtual = Thread.class.getMethod("ofVirtual");
            Class<?> builderType = ofVirtual.getReturnType();
            Method name = builderType.getMethod("name", String.class, long.class);
            Object builder = name.invoke(ofVirtual.invoke(null), prefix(controller), 1L);
            return (ThreadFactory) builderType.getMethod("factory").invoke(builder);
        } catch (ReflectiveOperationException e) {
            throw new UnsupportedOperationException("virtual threads cannot be had", e);
        }
    }

    private static String prefix(String controller) {
        return controller + "-worker-";
    }
}
