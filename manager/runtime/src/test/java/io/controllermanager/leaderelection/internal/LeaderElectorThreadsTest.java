package io.controllermanager.leaderelection.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.controllermanager.client.internal.connection.WriteFence.WriteRefusedException;
import io.controllermanager.testing.support.Waiting;
import io.controllermanager.time.internal.StartedThreads;
import io.controllermanager.time.internal.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What happens while a request hangs: real threads, virtual time. */
class LeaderElectorThreadsTest {

    /** Both {@code controller-manager-leader-election} and {@code controller-manager-leadership}. */
    private final StartedThreads threads = new StartedThreads("controller-manager-leader");

    private final VirtualTime time = new VirtualTime();
    private final LeaseStore store = new LeaseStore();
    private final LeaseStore.Lock lock = store.lock("a");
    private final List<String> notices = new CopyOnWriteArrayList<>();
    private final LeaderElector elector = Electors.elector(ElectionConfigs.of("ns", "lease", "a"), lock, time);
    private final CountDownLatch answer = new CountDownLatch(1);
    private final CountDownLatch asked = new CountDownLatch(1);

    @AfterEach
    void end() throws InterruptedException {
        answer.countDown();
        elector.stop();
        threads.awaitEnd();
    }

    @Test
    void theLossIsNoticedAtTheDeadlineThoughARenewalHangs() throws Exception {
        lead();
        lock.beforeRequest(this::hang);
        time.advance(Duration.ofSeconds(2));
        Waiting.on(asked);
        time.advance(Duration.ofSeconds(8).minusNanos(1));
        elector.checkWrite();
        time.advance(Duration.ofNanos(1));

        assertThatThrownBy(elector::checkWrite).isInstanceOf(WriteRefusedException.class);
        awaitNotices("acquired", "lost");
        assertThat(elector.status().leading()).isFalse();
    }

    @Test
    void anAnswerThatTookTheWholeDeadlineProvesNothing() throws Exception {
        lead();
        // The renewal is stored, its answer comes 11 seconds after it was sent.
        lock.beforeAnswer(this::hang);
        time.advance(Duration.ofSeconds(2));
        Waiting.on(asked);
        time.advance(Duration.ofSeconds(11));
        awaitNotices("acquired", "lost");
        lock.beforeAnswer(() -> {});
        answer.countDown();
        await().until(() -> time.scheduledDelays().size() == 1);
        assertThat(elector.isLeading()).isFalse();
        // The next try takes it back: it is held in this process's name.
        time.advance(Duration.ofSeconds(5));

        awaitNotices("acquired", "lost", "acquired");
        assertThat(Objects.requireNonNull(
                                Objects.requireNonNull(store.current()).getSpec())
                        .getLeaseTransitions())
                .isZero();
    }

    @Test
    void leadershipIsProvenFromBeforeTheRequestWasSentNotFromItsAnswer() throws Exception {
        lead();
        lock.beforeAnswer(this::hang);
        time.advance(Duration.ofSeconds(2));
        Waiting.on(asked);
        time.advance(Duration.ofSeconds(5));
        lock.beforeAnswer(() -> {});
        answer.countDown();
        await().until(() -> Duration.ofSeconds(5).equals(elector.status().sinceRenewal()));
        lock.failWith("timeout");
        // Sent at 2 s: proven until 12 s, and now it is 7 s.
        time.advance(Duration.ofSeconds(5).minusNanos(1));
        elector.checkWrite();
        time.advance(Duration.ofNanos(1));

        assertThatThrownBy(elector::checkWrite).isInstanceOf(WriteRefusedException.class);
    }

    @Test
    void writesAreRefusedByTheTimeAloneBeforeAnyTimerHasRun() throws Exception {
        VirtualTime clock = new VirtualTime();
        LeaderElector suspended = Electors.elector(
                ElectionConfigs.of("ns", "lease", "b"), store.lock("b"), clock, (delay, task) -> () -> {});
        CountDownLatch acquired = new CountDownLatch(1);
        suspended.start(listener(acquired::countDown, () -> {}));
        Waiting.on(acquired);
        // The process is stopped here and resumed 30 seconds later: no callback comes first.
        clock.advance(Duration.ofSeconds(30));

        assertThatThrownBy(suspended::checkWrite).isInstanceOf(WriteRefusedException.class);
        assertThat(suspended.isLeading()).isFalse();
        suspended.stop();
    }

    private void lead() {
        elector.start(listener(() -> notices.add("acquired"), () -> notices.add("lost")));
        awaitNotices("acquired");
        await().until(() -> time.scheduledTasks() == 1);
    }

    private void hang() {
        asked.countDown();
        try {
            answer.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void awaitNotices(String... expected) {
        await().untilAsserted(() -> assertThat(notices).containsExactly(expected));
    }

    private static LeadershipListener listener(Runnable acquired, Runnable lost) {
        return new LeadershipListener() {
            @Override
            public void onAcquired() {
                acquired.run();
            }

            @Override
            public void onLost() {
                lost.run();
            }
        };
    }
}
