package io.controllermanager.manager.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.client.ResourceType;
import io.controllermanager.leaderelection.internal.LeadershipStatus;
import io.controllermanager.recorder.EventRecorder;
import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;

/** What tests of hosts share: virtual time, a log of what happens, and hosts that are stopped after each test. */
abstract class HostFixture {

    static final ResourceType<V1ConfigMap> CONFIG_MAP =
            ResourceType.namespaced(V1ConfigMap.class, "", "v1", "ConfigMap", "configmaps");

    static final ResourceType<V1Secret> SECRET = ResourceType.namespaced(V1Secret.class, "", "v1", "Secret", "secrets");

    /** How far virtual time goes from one look to the next. */
    private static final Duration STEP = Duration.ofMillis(50);

    /** The same, where minutes are to pass. */
    static final Duration LONG_STEP = Duration.ofMillis(250);

    /** Within which time an elector that is not starved renews. */
    private static final Duration RENEWED = Duration.ofSeconds(3);

    final VirtualTime time = new VirtualTime();
    final List<String> log = new CopyOnWriteArrayList<>();
    final CountDownLatch release = new CountDownLatch(1);
    private final List<ControllerManager> started = new ArrayList<>();

    @AfterEach
    void end() {
        release.countDown();
        started.forEach(ControllerManager::stop);
        awaitThreadsEnded();
    }

    /** Waits until no thread of a host is left. */
    static void awaitThreadsEnded() {
        await().untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .noneMatch(name -> name.startsWith("controller-manager-")));
    }

    /** Makes a host, which is stopped after the test. */
    ControllerManager build(HostBuilder builder, Collection<ControllerRegistration> controllers) {
        ControllerManager manager =
                builder.controllers(List.copyOf(controllers)).build();
        started.add(manager);
        return manager;
    }

    static V1ConfigMap configMap(String name) {
        return new V1ConfigMap().metadata(new V1ObjectMeta().namespace("ns").name(name));
    }

    static ControllerState state(ControllerManager manager, String name) {
        return manager.controllers().stream()
                .filter(status -> status.name().equals(name))
                .findFirst()
                .orElseThrow()
                .state();
    }

    /** Waits for a state, letting virtual time pass. */
    void awaitState(ControllerManager manager, String name, ControllerState expected) {
        awaitPassing(() -> assertThat(state(manager, name)).isEqualTo(expected));
    }

    /** Waits for something, letting virtual time pass slowly enough for electors' threads to renew in between. */
    void awaitPassing(ThrowingRunnable assertion) {
        awaitPassing(STEP, assertion);
    }

    /** As the other one, in other steps. */
    void awaitPassing(Duration step, ThrowingRunnable assertion) {
        await().pollInterval(Duration.ofMillis(3)).untilAsserted(() -> {
            time.advance(renewalsAreLate() ? Duration.ofMillis(1) : step);
            assertion.run();
        });
    }

    /** Whether an elector's thread has not come to what virtual time has made due: the machine is busy. */
    private boolean renewalsAreLate() {
        return started.stream().flatMap(this::elections).anyMatch(HostFixture::isLate);
    }

    /** How the elections of a host stand. */
    Stream<LeadershipStatus> elections(ControllerManager manager) {
        return Stream.concat(Stream.of(manager.leadership()), manager.leaderships().values().stream());
    }

    private static boolean isLate(LeadershipStatus status) {
        Duration ago = status.sinceRenewal();
        // An error says that the elector has tried.
        return status.leading() && status.lastError() == null && ago != null && ago.compareTo(RENEWED) > 0;
    }

    /** Waits until {@link #release} is open, and keeps an interrupt for later. */
    void waitUninterrupted() {
        boolean interrupted = false;
        while (true) {
            try {
                release.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    static final EventRecorder NO_EVENTS = new EventRecorder() {
        @Override
        public void normal(KubernetesObject regarding, String reason, String note) {}

        @Override
        public void warning(KubernetesObject regarding, String reason, String note) {}
    };
}
