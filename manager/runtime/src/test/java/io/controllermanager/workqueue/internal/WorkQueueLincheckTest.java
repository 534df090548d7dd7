package io.controllermanager.workqueue.internal;

import io.controllermanager.time.internal.VirtualTime;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Lincheck looks whether what threads see of the queue can be explained by their calls one after the other. Scenarios of
 * random calls hardly ever come to where two threads have to do with one key, and cost seconds each: these are chosen.
 */
@Isolated("Lincheck changes classes that are loaded.")
class WorkQueueLincheckTest {

    private static final int EMPTY = 0;

    @Test
    void whatThreadsSeeIsWhatOneAfterTheOtherWouldSee() {
        check(20);
    }

    @Test
    @Tag("deep")
    void whatThreadsSeeIsWhatOneAfterTheOtherWouldSeeHoweverOften() {
        check(200);
    }

    private static void check(int invocations) {
        new StressOptions()
                .iterations(0)
                .invocationsPerIteration(invocations)
                .addCustomScenario(scenario(
                        List.of(call("add", 1), call("take")),
                        List.of(call("done", 1), call("take")),
                        List.of(call("add", 1), call("take")),
                        List.of(call("depth"))))
                .addCustomScenario(scenario(
                        List.of(call("add", 1), call("take")),
                        List.of(call("done", 1), call("add", 1)),
                        List.of(call("add", 1)),
                        List.of(call("take"), call("take"), call("depth"))))
                .addCustomScenario(scenario(
                        List.of(call("add", 1), call("take"), call("add", 1)),
                        List.of(call("done", 1), call("add", 2)),
                        List.of(call("take"), call("addAfterNothing", 1)),
                        List.of(call("take"), call("take"), call("depth"))))
                .addCustomScenario(scenario(
                        List.of(call("add", 1), call("take")),
                        List.of(call("add", 1), call("shutDown")),
                        List.of(call("done", 1), call("take")),
                        List.of(call("take"), call("depth"))))
                .sequentialSpecification(OneAfterTheOther.class)
                .check(Queue.class);
    }

    private static ExecutionScenario scenario(
            List<Actor> before, List<Actor> one, List<Actor> other, List<Actor> after) {
        return new ExecutionScenario(before, List.of(one, other), after, null);
    }

    private static Actor call(String name, Object... arguments) {
        for (Method method : Queue.class.getMethods()) {
            if (method.getName().equals(name)) {
                return new Actor(method, List.of(arguments));
            }
        }
        throw new IllegalArgumentException(name);
    }

    /** The queue, whose {@code take} does not wait: there is always a key to take, of the lowest priority. */
    @Param(name = "key", gen = IntGen.class, conf = "1:2")
    public static final class Queue {

        private final VirtualTime time = new VirtualTime();
        private final AtomicInteger fillers = new AtomicInteger();
        private final WorkQueue<Integer> queue = WorkQueue.<Integer>named("checked")
                .clock(time)
                .timer(time)
                .agingInterval(1_000)
                .build();

        @Operation
        public void add(int key) {
            queue.add(key);
        }

        @Operation
        public void addAfterNothing(int key) {
            queue.addAfter(key, Duration.ZERO);
        }

        @Operation
        public int take() throws InterruptedException {
            queue.add(fillers.decrementAndGet(), Integer.MIN_VALUE);
            Integer key = queue.take();
            return key == null || key < 0 ? EMPTY : key;
        }

        @Operation
        public void done(int key) {
            queue.done(key);
        }

        @Operation
        public int depth() {
            return queue.of(keys -> keys.ready.depth(WorkQueue.NORMAL_PRIORITY));
        }

        @Operation
        public void shutDown() {
            queue.shutDown();
        }
    }

    /** The same for a single thread. */
    public static final class OneAfterTheOther {

        private final List<Integer> ready = new ArrayList<>();
        private final Set<Integer> dirty = new HashSet<>();
        private final Set<Integer> processing = new HashSet<>();
        private boolean shutDown;

        public void add(int key) {
            if (!shutDown && dirty.add(key) && !processing.contains(key)) {
                ready.add(key);
            }
        }

        public void addAfterNothing(int key) {
            add(key);
        }

        public int take() {
            if (ready.isEmpty()) {
                return EMPTY;
            }
            int key = ready.remove(0);
            dirty.remove(key);
            processing.add(key);
            return key;
        }

        public void done(int key) {
            if (processing.remove(key) && dirty.contains(key)) {
                ready.add(key);
            }
        }

        public int depth() {
            return ready.size();
        }

        public void shutDown() {
            shutDown = true;
        }
    }
}
