package io.controllermanager.manager.internal;

import static org.awaitility.Awaitility.await;

import io.controllermanager.client.ResourceType;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.leaderelection.internal.ElectionParts;
import io.controllermanager.leaderelection.internal.LeaderElectionConfig;
import io.controllermanager.leaderelection.internal.LeaderElector;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.junit.FreshNamespace;
import io.controllermanager.time.Clock;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoordinationV1Api;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Hosts with nothing faked, which compete for one Lease in a namespace of the test's own. */
abstract class ControllerManagerApiFixture {

    static final ResourceType<V1ConfigMap> CONFIG_MAP =
            ResourceType.namespaced(V1ConfigMap.class, "", "v1", "ConfigMap", "configmaps");

    final ControlPlane plane;
    final ApiClient admin;
    final List<String> log = new CopyOnWriteArrayList<>();
    String namespace = "";
    private final List<Replica> replicas = new ArrayList<>();

    ControllerManagerApiFixture(ControlPlane plane) throws IOException {
        this.plane = plane;
        this.admin = ApiReplica.client(plane.kubeconfig());
    }

    @BeforeEach
    void takeNamespace(FreshNamespace fresh) {
        namespace = fresh.name();
    }

    @AfterEach
    void end() {
        replicas.forEach(Replica::close);
        HostFixture.awaitThreadsEnded();
    }

    /** What a reconcile does. */
    interface Work {
        void on(Request request) throws Exception;
    }

    void create(String name) throws ApiException {
        new CoreV1Api(admin)
                .createNamespacedConfigMap(namespace, configMap(name))
                .execute();
    }

    V1ConfigMap configMap(String name) {
        return new V1ConfigMap()
                .metadata(new V1ObjectMeta().namespace(namespace).name(name));
    }

    String holder() throws ApiException {
        return Objects.requireNonNullElse(
                Objects.requireNonNull(new CoordinationV1Api(admin)
                                .readNamespacedLease("manager", namespace)
                                .execute()
                                .getSpec())
                        .getHolderIdentity(),
                "");
    }

    static void awaitState(Replica replica, ControllerState expected) {
        await().until(() -> replica.manager.controllers().get(0).state() == expected);
    }

    /** A replica that logs what it reconciles. */
    Replica replica(String identity) throws IOException {
        return replica(identity, request -> log.add(identity + " " + request.getName()));
    }

    Replica replica(String identity, Work work) throws IOException {
        return new Replica(ApiReplica.election(identity, namespace), work);
    }

    /** One process's worth of host. */
    final class Replica {

        final ApiReplica process;
        final ControllerManager manager;
        private final Leadership leadership;
        private final String identity;
        private final Work work;
        private final List<ControllerManager> managers = new ArrayList<>();

        Replica(LeaderElectionConfig election, Work work) throws IOException {
            this.identity = election.identity();
            this.work = work;
            this.process = new ApiReplica(identity, ApiReplica.client(plane.kubeconfig()), namespace);
            LeaderElector elector = new LeaderElector(
                    election,
                    ElectionParts.of(
                            process.connection.leaseClient(LeaderElector.callTimeout(election)),
                            Clock.system(),
                            process.timer,
                            new SimpleMeterRegistry(),
                            () -> {}));
            ApiClient client = process.connection.apiClient();
            this.leadership = Leadership.shared(elector, Map.of(), fence -> client, client);
            process.connection.writeFence(leadership.fence());
            this.manager = manager();
            replicas.add(this);
        }

        /** A host whose first controller does the work; the replica's own has no other. */
        ControllerManager manager(ControllerRegistration... more) {
            ControllerManager made = process.host(leadership)
                    .controllers(List.of(ControllerRegistration.of(ControllerDescriptor.named("maps")
                            .forType(
                                    CONFIG_MAP,
                                    event -> !event.object()
                                            .getMetadata()
                                            .getName()
                                            .startsWith("kube-"))
                            .reconciler(this::reconcile)
                            .build())))
                    .controllers(List.of(more))
                    .build();
            managers.add(made);
            return made;
        }

        private Result reconcile(Request request) {
            try {
                work.on(request);
            } catch (Exception e) {
                throw new IllegalStateException(identity + ": " + e, e);
            }
            return new Result(false);
        }

        private void close() {
            managers.forEach(ControllerManager::stop);
            process.close();
        }
    }
}
