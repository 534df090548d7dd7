package io.controllermanager.client.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.client.Registration;
import io.controllermanager.time.internal.VirtualTime;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class ApiServerMonitorTest {

    private final VirtualTime time = new VirtualTime();
    private final Deque<Integer> answers = new ArrayDeque<>();
    private int probes;
    private int recoveries;

    /** Answers as told, with the last answer for ever; zero is no answer. */
    private final ApiServerMonitor monitor = new ApiServerMonitor(
            () -> "https://api",
            () -> "kubeconfig /k",
            (status, failed) -> {
                probes++;
                int code = answers.size() > 1 ? answers.removeFirst() : answers.getFirst();
                if (code == 0) {
                    failed.accept(new ConnectException("Connection refused"));
                } else {
                    status.accept(code);
                }
            },
            time,
            time);

    ApiServerMonitorTest() {
        monitor.onRecovery(() -> recoveries++);
    }

    private void answer(int... codes) {
        for (int code : codes) {
            answers.add(code);
        }
    }

    private void fail() {
        monitor.doubt();
    }

    @Test
    void isReachableUntilSomethingFails() {
        time.advance(Duration.ofMinutes(1));

        assertThat(monitor.reachable()).isTrue();
        assertThat(monitor.trouble()).isNull();
        assertThat(probes).isZero();
    }

    @Test
    void probesOnceASecondUntilReadyHoweverManyRequestsFail() {
        answer(0);
        for (int i = 0; i < 1_000; i++) {
            fail();
        }
        time.advance(Duration.ofSeconds(10));

        assertThat(monitor.reachable()).isFalse();
        assertThat(monitor.trouble()).isEqualTo("the API server cannot be reached: Connection refused");
        assertThat(probes).isBetween(8, 14);
        assertThat(recoveries).isZero();
    }

    @Test
    void tellsListenersWithinASecondAndAHalfOfReadiness() {
        answer(0);
        fail();
        time.advance(Duration.ofMinutes(10));
        answers.clear();
        answer(200);
        time.advance(Duration.ofMillis(1_300));

        assertThat(monitor.reachable()).isTrue();
        assertThat(monitor.trouble()).isNull();
        assertThat(recoveries).isPositive();
    }

    @Test
    void isNotReadyWhileReadyzSaysSo() {
        answer(0, 500, 503, 403, 500, 200);
        fail();
        time.advance(Duration.ofMillis(3_500));
        assertThat(monitor.reachable()).isFalse();
        assertThat(recoveries).isZero();

        time.advance(Duration.ofSeconds(4));
        assertThat(monitor.reachable()).isTrue();
    }

    @Test
    void countsSeveralRefusalsAsReadyForWhoeverMayNotAsk() {
        answer(0, 403);
        fail();
        time.advance(Duration.ofSeconds(3));
        assertThat(monitor.reachable()).isFalse();

        time.advance(Duration.ofSeconds(5));
        assertThat(monitor.reachable()).isTrue();
        assertThat(recoveries).isPositive();
    }

    @Test
    void tellsListenersAgainForStragglers() {
        answer(0, 200);
        fail();
        time.advance(Duration.ofMillis(1_300));
        int first = recoveries;
        time.advance(Duration.ofSeconds(10));

        assertThat(recoveries).isGreaterThan(first);
        int settled = recoveries;
        time.advance(Duration.ofMinutes(10));
        assertThat(recoveries).isEqualTo(settled);
    }

    @Test
    void leavesBackoffAloneWhileOneRequestKeepsBreakingItsConnection() {
        answer(200);
        for (int i = 0; i < 600; i++) {
            monitor.doubt();
            time.advance(Duration.ofMillis(100));
        }

        assertThat(monitor.reachable()).isTrue();
        assertThat(recoveries).isZero();
    }

    @Test
    void tellsListenersOfAnOutageThatBeginsWithARefusal() {
        answer(403, 0, 0, 200);
        fail();
        time.advance(Duration.ofMillis(2_500));
        assertThat(monitor.reachable()).isFalse();

        time.advance(Duration.ofSeconds(3));
        assertThat(monitor.reachable()).isTrue();
        assertThat(recoveries).isPositive();
    }

    @Test
    void takesASlowAnswerForNoOutage() {
        answer(200);
        monitor.doubt();
        time.advance(Duration.ofMinutes(1));

        assertThat(monitor.reachable()).isTrue();
        assertThat(probes).isEqualTo(1);
        assertThat(recoveries).isZero();
    }

    @Test
    void asksAtMostOnceASecondWhileRequestsFailThoughItIsReady() {
        answer(200);
        for (int i = 0; i < 100; i++) {
            monitor.doubt();
            time.advance(Duration.ofMillis(100));
        }

        assertThat(probes).isBetween(8, 11);
    }

    @Test
    void leavesListenersAloneThatAreGone() {
        int[] calls = new int[1];
        Registration registration = monitor.onRecovery(() -> calls[0]++);
        registration.close();
        answer(0, 200);
        fail();
        time.advance(Duration.ofMinutes(1));

        assertThat(calls[0]).isZero();
        assertThat(recoveries).isPositive();
    }

    @Test
    void goesOnToTheNextListenerWhenOneFails() {
        ApiServerMonitor failing = new ApiServerMonitor(
                () -> "https://api",
                () -> "kubeconfig /k",
                (status, failed) -> status.accept(probes++ == 0 ? 500 : 200),
                time,
                time);
        int[] calls = new int[1];
        failing.onRecovery(() -> {
            throw new IllegalStateException("a listener's own mistake");
        });
        failing.onRecovery(() -> calls[0]++);
        failing.doubt();
        time.advance(Duration.ofMillis(1_300));

        assertThat(calls[0]).isEqualTo(1);
    }

    @Test
    void isSilentOnceClosed() {
        answer(0);
        fail();
        time.advance(Duration.ofSeconds(2));
        monitor.close();
        int before = probes;
        answers.clear();
        answer(200);
        time.advance(Duration.ofMinutes(1));

        assertThat(probes).isEqualTo(before);
        assertThat(recoveries).isZero();
    }

    private void refuse() {
        monitor.answered(401);
    }

    @Test
    void saysThatCredentialsAreRefusedOnceThatLasts() {
        answer(401);
        refuse();
        time.advance(Duration.ofMillis(3_100));
        assertThat(monitor.trouble()).isNull();

        time.advance(Duration.ofMillis(2_000));

        assertThat(monitor.trouble())
                .isEqualTo("the API server refuses our credentials (401 Unauthorized): kubeconfig /k");
        assertThat(monitor.reachable()).isTrue();
        assertThat(recoveries).isZero();
    }

    @Test
    void asksEachFiveSecondsWhileCredentialsAreRefused() {
        answer(401);
        for (int i = 0; i < 60; i++) {
            refuse();
            time.advance(Duration.ofSeconds(1));
        }

        assertThat(probes).isBetween(5 + 9, 5 + 14);
    }

    @Test
    void tellsListenersWhenAProbeFindsThatCredentialsAreAccepted() {
        answer(401);
        refuse();
        time.advance(Duration.ofMinutes(1));
        assertThat(recoveries).isZero();
        answers.clear();
        answer(200);
        time.advance(Duration.ofSeconds(6));

        assertThat(monitor.trouble()).isNull();
        assertThat(recoveries).isPositive();
    }

    @Test
    void tellsListenersWhenARequestFindsThatCredentialsAreAccepted() {
        answer(401);
        refuse();
        time.advance(Duration.ofMinutes(1));

        monitor.answered(403);
        time.runDue();

        assertThat(monitor.trouble()).isNull();
        assertThat(recoveries).isPositive();
        int before = probes;
        time.advance(Duration.ofMinutes(1));
        assertThat(probes).isLessThanOrEqualTo(before + 1);
    }

    @Test
    void asksOnceForASingle401() {
        answer(200);
        refuse();
        time.advance(Duration.ofMinutes(1));

        assertThat(monitor.trouble()).isNull();
        assertThat(probes).isEqualTo(1);
        assertThat(recoveries).isZero();
    }

    @Test
    void saysWhyTheApiServerCannotBeReached() {
        answer(0);
        fail();
        time.advance(Duration.ofSeconds(1));

        assertThat(monitor.trouble()).isEqualTo("the API server cannot be reached: Connection refused");
    }

    /** The answer of the last probe comes on a thread of its own, which may be between two steps just then. */
    @Test
    void wantsNothingOfATimerThatIsClosedWhileAnAnswerIsDealtWith() {
        List<ApiServerMonitor> stopped = new ArrayList<>();
        AtomicBoolean timerClosed = new AtomicBoolean();
        ApiServerMonitor stopping = new ApiServerMonitor(
                () -> {
                    stopped.forEach(ApiServerMonitor::close);
                    timerClosed.set(true);
                    return "https://api";
                },
                () -> "kubeconfig /k",
                (status, failed) -> failed.accept(new ConnectException("Connection refused")),
                time,
                (delay, task) -> {
                    assertThat(timerClosed).isFalse();
                    return time.schedule(delay, task);
                });
        stopped.add(stopping);

        stopping.doubt();
        time.advance(Duration.ofSeconds(1));

        assertThat(timerClosed).isTrue();
    }
}
