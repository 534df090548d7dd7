package io.controllermanager.leaderelection.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.apiserver.faults.Fault;
import io.controllermanager.apiserver.faults.Faults;
import io.controllermanager.apiserver.faults.RequestMatcher;
import io.controllermanager.time.internal.StartedThreads;
import io.controllermanager.time.internal.VirtualTime;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The watch of a Lease when the API server, or what is before it, does not do what it should: real requests, virtual time.
 * A request may take as long as it needs; polls, renewals and pauses come when a test moves the time.
 */
class LeaseWatchTest {

    /** Polls come so seldom that nothing is due sooner but the watch's pauses. */
    private static final LeaderElectionConfig CONFIG = ElectionConfigs.withTimings(
            ElectionConfigs.of("default", "lease", "a"),
            Duration.ofHours(2),
            Duration.ofHours(1),
            Duration.ofMinutes(5));

    /** How long a watch may not have told of what was read, before it counts as deaf. */
    private static final Duration PATIENCE = LeaderElector.callTimeout(CONFIG);

    private final StartedThreads watchers = new StartedThreads("controller-manager-lease-watch");
    private final ApiServer server = ApiServer.start();
    private final VirtualTime time = new VirtualTime();
    private final List<String> notices = new CopyOnWriteArrayList<>();
    private final AtomicInteger watches = new AtomicInteger();
    private final LeaderElector elector = new LeaderElector(
            CONFIG, ElectionParts.of(server.client(), time, time, new SimpleMeterRegistry(), () -> {}));

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
    void stop() throws InterruptedException {
        elector.stop();
        server.close();
        watchers.awaitEnd();
    }

    @Test
    void aWatchThatHasFallenDeafIsOpenedAnew() {
        AtomicInteger told = new AtomicInteger();
        faults().replaceEvents((before, event) -> {
            told.incrementAndGet();
            return List.of(event);
        });
        Fault deaf = faults().times(1).hangAfterEvents(1);
        elector.start(new NotingListener("a", notices));
        await().until(() -> elector.isLeading() && told.get() > 0);
        // Its own renewals are what the watch does not tell of.
        time.advance(Duration.ofSeconds(1));
        elector.retryNow();
        await().until(() -> {
            time.runDue();
            return deaf.hits() == 1;
        });
        assertThat(watches).hasValue(1);

        await().until(() -> {
            renew();
            time.advance(PATIENCE);
            return watches.get() >= 2;
        });
        // The last step may have cut the new watch off as well, before it told anything: then a pause has to pass.
        await().untilAsserted(() -> {
            time.advance(Duration.ofSeconds(1));
            assertThat(elector.status().watchError()).isNull();
        });
        assertThat(elector.isLeading()).isTrue();
        assertThat(notices).doesNotContain("a lost");
    }

    @Test
    void watchesThatEndAtOnceAreNotRepeatedWithoutPause() {
        faults().closeAfterEvents(1);
        elector.start(new NotingListener("a", notices));

        int ended = 0;
        for (Duration pause : List.of(Duration.ofMillis(250), Duration.ofMillis(500), Duration.ofSeconds(1))) {
            await().until(() -> pause.equals(time.untilNextTask()));
            ended++;
            assertThat(watches).hasValue(ended);
            time.advance(pause);
        }
        await().until(() -> watches.get() == 4);
    }

    /** Renews the Lease at this moment, so that leadership does not run out while time goes on. */
    private void renew() {
        elector.retryNow();
        await().until(() -> {
            // If an attempt was under way, the next one follows it by way of the timer.
            time.runDue();
            return Duration.ZERO.equals(elector.status().sinceRenewal());
        });
    }

    private Faults.Builder faults() {
        return server.faults().when(RequestMatcher.watch("leases"));
    }
}
