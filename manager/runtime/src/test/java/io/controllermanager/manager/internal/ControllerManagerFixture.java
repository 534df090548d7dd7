package io.controllermanager.manager.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.client.ResourceType;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.leaderelection.internal.ElectionConfigs;
import io.controllermanager.leaderelection.internal.Electors;
import io.controllermanager.leaderelection.internal.LeaderElector;
import io.controllermanager.leaderelection.internal.LeaseStore;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1Deployment;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One host in virtual time: real threads and controllers, a cluster and a Lease in memory. */
abstract class ControllerManagerFixture extends HostFixture {

    static final ResourceType<V1Deployment> DEPLOYMENT =
            ResourceType.namespaced(V1Deployment.class, "apps", "v1", "Deployment", "deployments");

    final FakeCluster cluster = new FakeCluster(log);
    final LeaseStore store = new LeaseStore();
    final LeaseStore.Lock lock = store.lock("me");
    final ApiClient client = new ApiClient();
    final ApiClient unfenced = new ApiClient();

    interface Work {
        void on(String controller, Request request);
    }

    /** Logs what is reconciled. */
    void record(String controller, Request request) {
        log.add(controller + " " + request.getNamespace() + "/" + request.getName());
    }

    static Reconciler reconciler(String name, Work work) {
        return request -> {
            work.on(name, request);
            return new Result(false);
        };
    }

    static <T extends KubernetesObject> ControllerRegistration registration(
            String name, ResourceType<T> type, Work work) {
        return ControllerRegistration.of(ControllerDescriptor.named(name)
                .forType(type)
                .reconciler(reconciler(name, work))
                .build());
    }

    LeaderElector elector() {
        return Electors.elector(ElectionConfigs.of("ns", "lease", "me"), lock, time);
    }

    HostBuilder builder(@Nullable LeaderElector elector) {
        Leadership leadership = elector == null
                ? Leadership.always(client)
                : Leadership.shared(elector, Map.of(), fence -> client, unfenced);
        return new HostBuilder(leadership, cluster, time, time, name -> NO_EVENTS);
    }

    ControllerManager manager(@Nullable LeaderElector elector, ControllerRegistration... controllers) {
        return build(builder(elector), controllers);
    }

    ControllerManager build(HostBuilder builder, ControllerRegistration... controllers) {
        return build(builder, List.of(controllers));
    }

    void serveSynced(ResourceType<?> type) {
        cluster.serve(type);
        cluster.fake(type).synced(true);
    }

    /** Waits until no renewal is due, so that nothing is asked of the Lease before more time passes. */
    void awaitRenewed(ControllerManager manager) {
        Duration period = ElectionConfigs.of("ns", "lease").retryPeriod();
        await().until(() ->
                Objects.requireNonNull(manager.leadership().sinceRenewal()).compareTo(period) < 0);
    }

    void awaitLog(String... expected) {
        await().untilAsserted(() -> assertThat(log).containsExactly(expected));
    }
}
