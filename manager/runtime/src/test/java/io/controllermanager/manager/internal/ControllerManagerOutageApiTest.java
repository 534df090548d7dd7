package io.controllermanager.manager.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.leaderelection.internal.ElectionConfigs;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.junit.RealControlPlane;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The host with nothing faked, on a control plane of its own, whose API server goes away at times. */
@RealControlPlane(dedicated = true)
class ControllerManagerOutageApiTest extends ControllerManagerApiFixture {

    ControllerManagerOutageApiTest(ControlPlane plane) throws IOException {
        super(plane);
    }

    @Test
    void afterAnOutageThatCostTheLeaseEverythingIsReconciled() throws Exception {
        Replica a = loser("a", request -> {
            // A write, so that it fails while the API server is away.
            String name = Objects.requireNonNull(request.getName());
            new CoreV1Api(admin)
                    .replaceNamespacedConfigMap(name, namespace, configMap(name).data(Map.of("by", "a")))
                    .execute();
            log.add("a " + name);
        });
        for (int i = 0; i < 50; i++) {
            create("map-" + i);
        }
        a.manager.start();
        await().until(() -> log.stream().distinct().count() >= 50);

        plane.killApiServer();
        awaitState(a, ControllerState.WAITING_FOR_LEADERSHIP);
        assertThat(a.manager.leadership().leading()).isFalse();
        assertThat(a.manager.liveness().healthy()).isTrue();
        log.clear();
        plane.startApiServer();
        plane.awaitReady();

        await().until(() -> log.stream().distinct().count() >= 50);
        await().until(() -> a.manager.leadership().leading());
        create("later");
        await().until(() -> log.contains("a later"));
    }

    @Test
    void aHungApiServerCostsTheLeaseAndItComesBack() throws Exception {
        Replica a = loser("a", request -> log.add("a " + request.getName()));
        create("one");
        a.manager.start();
        await().until(() -> log.contains("a one"));
        plane.pauseApiServer();
        awaitState(a, ControllerState.WAITING_FOR_LEADERSHIP);
        log.clear();
        plane.resumeApiServer();

        await().until(() -> log.contains("a one"));
        await().until(() -> "a".equals(holder()));
    }

    /** A replica that an outage of seconds costs its Lease. */
    private Replica loser(String identity, Work work) throws IOException {
        return new Replica(
                ElectionConfigs.withTimings(
                        ApiReplica.election(identity, namespace),
                        Duration.ofSeconds(3),
                        Duration.ofSeconds(2),
                        Duration.ofMillis(500)),
                work);
    }
}
