package io.controllermanager.manager.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.leaderelection.internal.ElectionConfigs;
import io.controllermanager.leaderelection.internal.Electors;
import io.controllermanager.leaderelection.internal.LeaderElector;
import io.controllermanager.leaderelection.internal.LeaseStore;
import io.controllermanager.recorder.EventRecorder;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.ApiClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What one leader leaves for the next: two hosts, one Lease that both watch, virtual time. */
class HandOverTest extends HostFixture {

    private final LeaseStore store = new LeaseStore();
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final FakeCluster firstCluster = new FakeCluster(new CopyOnWriteArrayList<>());
    private final FakeCluster nextCluster = new FakeCluster(new CopyOnWriteArrayList<>());
    private final ControllerManager first = host("first", firstCluster);
    private final ControllerManager next = host("next", nextCluster);

    @BeforeEach
    void standBy() {
        first.start();
        awaitState(first, "maps", ControllerState.RUNNING);
        next.start();
        awaitState(next, "maps", ControllerState.WAITING_FOR_LEADERSHIP);
        await().until(() -> "first".equals(next.leadership().holder()));
        await().until(() -> log.contains("first ns/a"));
    }

    @Test
    void theNextLeaderWaitsUntilItsCachesHaveWhatTheLastOneWrote() {
        firstCluster.written(Map.of("configmaps", "40"));
        nextCluster.fake(CONFIG_MAP).comeAsFarAs(39);
        first.stop();
        awaitNextLeads();
        time.advance(Duration.ofSeconds(4));
        assertThat(next.controllers().get(0).state()).isEqualTo(ControllerState.WAITING_FOR_LEADERSHIP);
        assertThat(log).doesNotContain("next ns/a");

        nextCluster.fake(CONFIG_MAP).comeAsFarAs(40);

        awaitReconcile();
    }

    @Test
    void itWaitsForNoMoreThanFiveSeconds() {
        firstCluster.written(Map.of("configmaps", "40"));
        nextCluster.fake(CONFIG_MAP).comeAsFarAs(39);
        first.stop();
        awaitNextLeads();
        time.advance(Duration.ofSeconds(5));

        awaitReconcile();
    }

    @Test
    void whatIsNotReadHereIsNotWaitedFor() {
        firstCluster.written(Map.of("secrets", "40"));
        nextCluster.fake(CONFIG_MAP).comeAsFarAs(1);
        first.stop();
        awaitNextLeads();

        awaitReconcile();
    }

    @Test
    void theChangeOfLeaderIsRecordedAsEventOfTheLease() {
        await().untilAsserted(
                        () -> assertThat(events).containsExactly("Lease ns/lease LeaderElection first became leader"));
        first.stop();
        awaitNextLeads();

        assertThat(events)
                .containsExactly(
                        "Lease ns/lease LeaderElection first became leader",
                        "Lease ns/lease LeaderElection first stopped leading",
                        "Lease ns/lease LeaderElection next became leader");
    }

    private ControllerManager host(String identity, FakeCluster cluster) {
        cluster.serve(CONFIG_MAP);
        cluster.fake(CONFIG_MAP).put(configMap("a"));
        cluster.fake(CONFIG_MAP).synced(true);
        LeaseStore.Lock lock = store.lock(identity);
        lock.watchable(() -> {});
        LeaderElector elector = Electors.elector(ElectionConfigs.of("ns", "lease", identity), lock, time);
        Leadership leadership = Leadership.shared(elector, Map.of(), fence -> new ApiClient(), new ApiClient());
        HostBuilder builder = new HostBuilder(leadership, cluster, time, time, name -> new Recorder());
        ControllerRegistration maps = ControllerRegistration.of(ControllerDescriptor.named("maps")
                .forType(CONFIG_MAP)
                .reconciler(request -> {
                    log.add(identity + " " + request.getNamespace() + "/" + request.getName());
                    return new Result(false);
                })
                .build());
        return build(builder, List.of(maps));
    }

    /** Until its controllers have been told, which comes before the Event and a moment after it leads. */
    private void awaitNextLeads() {
        awaitPassing(
                Duration.ofMillis(1),
                () -> assertThat(events).contains("Lease ns/lease LeaderElection next became leader"));
    }

    /** Moves time, but not so far that a wait for something else would end by it. */
    private void awaitReconcile() {
        int[] millisLeft = {100};
        await().until(() -> {
            if (millisLeft[0]-- > 0) {
                time.advance(Duration.ofMillis(1));
            }
            return log.contains("next ns/a");
        });
    }

    private final class Recorder implements EventRecorder {

        @Override
        public void normal(KubernetesObject regarding, String reason, String note) {
            events.add(regarding.getKind() + " " + regarding.getMetadata().getNamespace() + "/"
                    + regarding.getMetadata().getName() + " " + reason + " " + note);
        }

        @Override
        public void warning(KubernetesObject regarding, String reason, String note) {
            events.add("warning " + note);
        }
    }
}
