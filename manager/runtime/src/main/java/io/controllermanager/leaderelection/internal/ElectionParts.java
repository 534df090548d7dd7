package io.controllermanager.leaderelection.internal;

import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.Timer;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;
import java.util.function.Function;

/**
 * What the elections of a process work with.
 *
 * @param executors makes executors that do one task after the other, by the names of their threads
 * @param random a random number from 0 to 1
 */
record ElectionParts(
        Clock clock, Timer timer, MeterRegistry meters, Function<String, Executor> executors, DoubleSupplier random) {

    static ElectionParts of(Clock clock, Timer timer, MeterRegistry meters) {
        return new ElectionParts(
                clock,
                timer,
                meters,
                ElectionParts::thread,
                () -> ThreadLocalRandom.current().nextDouble());
    }

    /** The same with a controller's name added to the threads' names. */
    ElectionParts withThreadsOf(String controller) {
        return new ElectionParts(clock, timer, meters, name -> executors.apply(name + "-" + controller), random);
    }

    private static Executor thread(String name) {
        ExecutorService one = Executors.newSingleThreadExecutor(task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
        // Its thread is there when the first notice is to be given, which is that of leadership.
        one.execute(() -> {});
        return one;
    }

    /** Ends an executor's thread if it has one. */
    static void end(Executor executor) {
        if (executor instanceof ExecutorService service) {
            service.shutdown();
        }
    }
}
