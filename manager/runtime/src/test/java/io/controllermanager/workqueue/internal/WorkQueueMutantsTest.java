package io.controllermanager.workqueue.internal;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.controllermanager.time.internal.VirtualTime;
import java.time.Duration;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Bugs put into the queue on purpose: the model test finds each of them and says with which seed. Here that is one seed;
 * {@link WorkQueueMutantSeedsTest} has the others.
 */
class WorkQueueMutantsTest {

    static final int STEPS = 100_000;

    private static final long SEED = 1;

    /** A bug, and the queue that has it. */
    record Mutant(String bug, Function<VirtualTime, WorkQueue<Integer>> queues, Function<Integer, Object> flows) {
        @Override
        public String toString() {
            return bug;
        }

        void isFoundWith(long seed) {
            assertThatThrownBy(() -> new ModelRun(seed, queues, flows).run(STEPS))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageMatching("(?s)seed " + seed + ", step \\d+, after \\[.+");
        }
    }

    static Stream<Mutant> mutants() {
        return Stream.of(
                mutant("loses what is added while it is processed", LosesReAdds::new),
                mutant("delivers a nanosecond early", DeliversEarly::new),
                mutant("delivers a nanosecond late", DeliversLate::new),
                mutant("lets the later time win", LetsLaterTimeWin::new),
                mutant("gives a key to two workers", GivesKeyToTwo::new),
                mutant("drops keys at shutdown", DropsAtShutDown::new),
                mutant("takes adds after shutdown", TakesAddsAfterShutDown::new),
                mutant("retries at another priority", LosesPriority::new),
                mutant("never forgets", NeverForgets::new),
                new Mutant(
                        "serves keys for their age too seldom",
                        time -> WorkQueueModelTest.builder(time)
                                .agingInterval(ModelRun.AGING + 1)
                                .build(),
                        key -> ""),
                new Mutant("knows no fairness", WorkQueueModelTest::queue, key -> key % 6),
                new Mutant(
                        "takes two flows for one",
                        time -> WorkQueueModelTest.builder(time)
                                .fairness(key -> key % 6 == 5 ? 4 : key % 6)
                                .build(),
                        key -> key % 6));
    }

    private static Mutant mutant(String bug, Function<WorkQueue<Integer>, WorkQueue<Integer>> faulty) {
        return new Mutant(bug, time -> faulty.apply(WorkQueueModelTest.queue(time)), key -> "");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("mutants")
    void isFound(Mutant mutant) {
        mutant.isFoundWith(SEED);
    }

    private static boolean isProcessed(WorkQueue<Integer> queue, Integer key) {
        return queue.snapshot().processing().containsKey(key);
    }

    private static final class LosesReAdds extends FaultyQueue {
        LosesReAdds(WorkQueue<Integer> queue) {
            super(queue);
        }

        @Override
        public void add(Integer key, int priority) {
            if (!isProcessed(queue, key)) {
                super.add(key, priority);
            }
        }
    }

    private static final class DeliversEarly extends FaultyQueue {
        DeliversEarly(WorkQueue<Integer> queue) {
            super(queue);
        }

        @Override
        public void addAfter(Integer key, Duration delay) {
            super.addAfter(key, delay.minusNanos(1));
        }
    }

    private static final class DeliversLate extends FaultyQueue {
        DeliversLate(WorkQueue<Integer> queue) {
            super(queue);
        }

        @Override
        public void addAfter(Integer key, Duration delay) {
            super.addAfter(key, delay.isZero() ? delay : delay.plusNanos(1));
        }
    }

    /** A key that waits goes on waiting for what was asked first, even if an earlier time is asked then. */
    private static final class LetsLaterTimeWin extends FaultyQueue {
        LetsLaterTimeWin(WorkQueue<Integer> queue) {
            super(queue);
        }

        @Override
        public void addAfter(Integer key, Duration delay) {
            if (delay.isZero() || !queue.snapshot().delayed().containsKey(key)) {
                super.addAfter(key, delay);
            }
        }
    }

    private static final class GivesKeyToTwo extends FaultyQueue {
        GivesKeyToTwo(WorkQueue<Integer> queue) {
            super(queue);
        }

        @Override
        public void add(Integer key, int priority) {
            if (isProcessed(queue, key)) {
                queue.done(key);
            }
            super.add(key, priority);
        }
    }

    private static final class DropsAtShutDown extends FaultyQueue {
        DropsAtShutDown(WorkQueue<Integer> queue) {
            super(queue);
        }

        @Override
        public void shutDown() {
            super.close();
        }
    }

    private static final class TakesAddsAfterShutDown extends FaultyQueue {
        TakesAddsAfterShutDown(WorkQueue<Integer> queue) {
            super(queue);
        }

        @Override
        public void shutDown() {
            // It says that it is shut down, and goes on.
        }

        @Override
        public boolean isShuttingDown() {
            return true;
        }
    }

    private static final class LosesPriority extends FaultyQueue {
        LosesPriority(WorkQueue<Integer> queue) {
            super(queue);
        }

        @Override
        public void addAgain(Integer key) {
            queue.add(key, NORMAL_PRIORITY);
        }
    }

    private static final class NeverForgets extends FaultyQueue {
        NeverForgets(WorkQueue<Integer> queue) {
            super(queue);
        }

        @Override
        public void forget(Integer key) {
            // Nothing is forgotten.
        }
    }
}
