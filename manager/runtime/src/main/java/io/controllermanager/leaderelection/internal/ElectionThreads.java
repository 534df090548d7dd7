package io.controllermanager.leaderelection.internal;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Makes the executors of elections. Each does one task after the other, in order. */
@FunctionalInterface
public interface ElectionThreads {

    /** An executor whose thread has that name, if it has one of its own. */
    Executor executor(String name);

    /** The threads of many electors, of which few have something to do at a time. */
    default ElectionThreads shared(String name) {
        return this;
    }

    /** A thread for each executor, or threads that executors share. */
    static ElectionThreads real() {
        return new ElectionThreads() {
            @Override
            public Executor executor(String name) {
                ExecutorService one = Executors.newSingleThreadExecutor(task -> SharedThreads.daemon(task, name));
                // Its thread is there when the first notice is to be given, which is that of leadership.
                one.execute(() -> {});
                return one;
            }

            @Override
            public ElectionThreads shared(String name) {
                SharedThreads threads = new SharedThreads(task -> SharedThreads.daemon(task, name));
                return any -> threads.executor();
            }
        };
    }

    /** Ends an executor's thread if it has one. */
    static void end(Executor executor) {
        if (executor instanceof ExecutorService service) {
            service.shutdown();
        } else if (executor instanceof SharedThreads.Serial serial) {
            serial.end();
        }
    }
}
