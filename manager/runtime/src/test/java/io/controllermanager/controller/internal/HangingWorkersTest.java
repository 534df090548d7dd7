package io.controllermanager.controller.internal;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.testing.support.Waiting;
import io.kubernetes.client.extended.controller.reconciler.Result;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Workers that hang when the reconcile has returned: in the log line about its failure. */
class HangingWorkersTest extends ControllerFixture {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final Log stalled = new Log();

    @BeforeEach
    void stall() {
        stalled.start();
        logger().addAppender(stalled);
        behaviours.put("bad", request -> fail());
        behaviours.put("worse", request -> fail());
    }

    @AfterEach
    void goOn() {
        release.countDown();
        logger().detachAppender(stalled);
    }

    @Test
    void aWorkerIsActiveUntilItHasGivenItsKeyBack() throws Exception {
        Controller controller = start(UNLIMITED);
        add("bad");
        stalled.awaitLines(1);
        assertThat(controller.snapshot().activeWorkers()).isEqualTo(1);
        assertThat(controller.snapshot().reconciling()).isZero();
        assertMetric("controller_runtime_active_workers{controller=\"foo\"} 1.0");
        release.countDown();
        eventually(() -> assertThat(controller.snapshot().activeWorkers()).isZero());
    }

    @Test
    void itIsStuckAfterTheTimeLimitAndAnotherTakesItsPlace() throws Exception {
        Controller controller = start(ControllerOptions.DEFAULTS.withReconcileTimeout(LIMIT));
        add("bad", "good");
        stalled.awaitLines(1);
        time.advance(LIMIT);
        assertThat(controller.snapshot().stuck()).isEmpty();
        time.advance(GRACE);

        waitForReconciles(2);
        assertThat(reconciled).containsExactly("bad", "good");
        assertThat(controller.snapshot().stuck())
                .extracting(ControllerSnapshot.StuckReconcile::key)
                .containsExactly("default/bad");
        assertMetric("controller_manager_stuck_workers{controller=\"foo\"} 1.0");
        assertMetric("controller_runtime_reconcile_timeouts_total{controller=\"foo\"} 0.0");

        release.countDown();
        eventually(() -> assertThat(controller.snapshot().stuck()).isEmpty());
        eventually(() -> assertThat(liveThreads()).hasSize(1));
    }

    @Test
    void livenessFailsWhenNobodyTakesWhatIsReady() throws Exception {
        Controller controller = start(UNLIMITED.withWorkers(2));
        add("bad", "worse");
        stalled.awaitLines(2);
        time.advance(Duration.ofHours(1));
        add("good");
        time.advance(Duration.ofMinutes(1));
        assertThat(controller.snapshot().restartReason()).isNull();
        time.advance(Duration.ofSeconds(1));
        assertThat(controller.snapshot().restartReason())
                .isEqualTo("none of 1 ready keys has been taken for 61 s, and 2 of 2 workers are in no reconcile");

        release.countDown();
        waitForReconciles(3);
        eventually(() -> assertThat(controller.snapshot().restartReason()).isNull());
    }

    @Test
    void keysThatBecameReadyLongBeforeTheWorkersStartedAreNoReason() {
        Controller controller = controller(UNLIMITED);
        add("good");
        time.advance(Duration.ofHours(1));
        assertThat(controller.snapshot().restartReason()).isNull();
        Work.begin(controller);
        assertThat(controller.snapshot().restartReason()).isNull();
        waitForReconciles(1);
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
                    # running, workers, live, reconciling, ready, untaken, restart
                    true,  16, 16,  0, 523,   61, true
                    true,  16, 16, 15, 523,   61, true
                    true,  16, 16,  0,   1, 3600, true
                    # not long enough
                    true,  16, 16,  0, 523,   60, false
                    # all are in reconciles, which their time limit ends
                    true,  16, 16, 16, 523, 3600, false
                    # fewer workers than there were, whose reconciles go on
                    true,   4, 16, 16, 523, 3600, false
                    # nothing to do
                    true,  16, 16,  0,   0,   61, false
                    # not to take any: a standby, or paused
                    false, 16, 16,  0, 523,   61, false
                    # a queue that does not know
                    true,  16, 16,  0, 523,     , false
                    # for another reason
                    true,  16,  0,  0, 523,    0, true
                    """)
    void whatIsAReasonToRestart(
            boolean running,
            int workers,
            int live,
            int reconciling,
            int ready,
            @Nullable Long untaken,
            boolean restart) {
        ControllerSnapshot snapshot = new ControllerSnapshot(
                running,
                workers,
                live,
                workers,
                reconciling,
                List.of(),
                ready,
                0,
                0,
                0,
                0,
                0,
                null,
                Map.of(),
                null,
                untaken == null ? null : Duration.ofSeconds(untaken),
                null);
        assertThat(snapshot.restartReason() != null).isEqualTo(restart);
    }

    private static Result fail() {
        throw new IllegalStateException("no");
    }

    /** What a pipe is that nobody reads, to workers. */
    private final class Log extends AppenderBase<ILoggingEvent> {

        private final Semaphore lines = new Semaphore(0);

        @Override
        public void doAppend(ILoggingEvent line) {
            // Not under the lock of the class above: each worker hangs by itself.
            append(line);
        }

        @Override
        protected void append(ILoggingEvent line) {
            if (Thread.currentThread().getName().startsWith("foo-worker-")) {
                lines.release();
                waitUninterruptibly();
            }
        }

        void awaitLines(int count) throws InterruptedException {
            assertThat(lines.tryAcquire(count, Waiting.LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
        }
    }
}
