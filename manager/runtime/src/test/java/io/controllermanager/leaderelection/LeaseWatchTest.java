package io.controllermanager.leaderelection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.testing.apiserver.ApiServer;
import io.controllermanager.testing.apiserver.faults.Fault;
import io.controllermanager.testing.apiserver.faults.Faults;
import io.controllermanager.testing.apiserver.faults.RequestMatcher;
import io.controllermanager.time.Clock;
import io.controllermanager.time.SystemTimer;
import io.controllermanager.time.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The watch of a Lease when the API server, or what is before it, does not do what it should. */
class LeaseWatchTest {

    private final ApiServer server = ApiServer.start();
    private final SystemTimer timer = new SystemTimer("test-timer");
    private final List<Duration> pauses = new CopyOnWriteArrayList<>();
    private final List<LeaderElector> electors = new ArrayList<>();
    private final AtomicInteger watches = new AtomicInteger();

    @BeforeEach
    void countWatches() {
        server.faults()
                .when(RequestMatcher.watch("leases").where(target -> {
                    watches.incrementAndGet();
                    return false;
                }))
                .hang();
    }

    @AfterEach
    void stop() {
        electors.forEach(LeaderElector::stop);
        timer.close();
        server.close();
        await().pollInterval(Duration.ofMillis(5))
                .untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                        .extracting(Thread::getName)
                        .doesNotContain("controller-manager-lease-watch"));
    }

    @Test
    void aWatchThatHasFallenDeafIsOpenedAnew() {
        Fault deaf = faults().times(1).hangAfterEvents(1);
        // Its own renewals are what the watch does not tell of.
        LeaderElector a = compete(Duration.ofMillis(200));
        await().until(a::isLeading);
        await().until(() -> deaf.hits() == 1);

        await().until(() -> watches.get() >= 2);
        assertThat(a.isLeading()).isTrue();
        assertThat(a.status().watchError()).isNull();
    }

    @Test
    void watchesThatEndAtOnceAreNotRepeatedWithoutPause() {
        faults().closeAfterEvents(1);
        // A poll that does not come, so that all pauses are the watch's.
        compete(Duration.ofMinutes(5));

        await().until(() -> watches.get() >= 4);
        assertThat(pauses)
                .startsWith(Duration.ofMillis(250), Duration.ofMillis(500), Duration.ofSeconds(1))
                .allMatch(pause -> !pause.isZero());
    }

    private Faults.Builder faults() {
        return server.faults().when(RequestMatcher.watch("leases"));
    }

    private LeaderElector compete(Duration retryPeriod) {
        Timer noting = new Timer() {
            @Override
            public Cancellable schedule(Duration delay, Runnable task) {
                return timer.schedule(delay, task);
            }

            @Override
            public void sleep(Duration duration) throws InterruptedException {
                pauses.add(duration);
                timer.sleep(duration);
            }
        };
        LeaderElector elector = new LeaderElector(
                LeaderElectionConfig.of("default", "lease")
                        .withIdentity("a")
                        .withTimings(retryPeriod.multipliedBy(300), retryPeriod.multipliedBy(10), retryPeriod),
                server.client(),
                Clock.system(),
                noting,
                new SimpleMeterRegistry());
        electors.add(elector);
        elector.start(new LeadershipListener() {
            @Override
            public void onAcquired() {}

            @Override
            public void onLost() {}
        });
        return elector;
    }
}
