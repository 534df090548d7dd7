package io.controllermanager.manager.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.leaderelection.internal.Electors;
import io.controllermanager.leaderelection.internal.LeaderElectionConfig;
import io.controllermanager.leaderelection.internal.LeaderElector;
import io.controllermanager.leaderelection.internal.LeaseBalance;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.junit.FreshNamespace;
import io.controllermanager.testing.controlplane.junit.RealControlPlane;
import io.controllermanager.time.Clock;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Three hosts that share five controllers, with nothing faked; the API server's audit log says who wrote when. */
@RealControlPlane
class SharedControllersApiTest {

    private static final List<String> CONTROLLERS = List.of("c0", "c1", "c2", "c3", "c4");

    private final ControlPlane plane;
    private final CoreV1Api admin;
    private final List<Replica> replicas = new ArrayList<>();
    private final List<String> created = new ArrayList<>();
    private String namespace = "";

    SharedControllersApiTest(ControlPlane plane) throws IOException {
        this.plane = plane;
        this.admin = new CoreV1Api(ApiReplica.client(plane.kubeconfig()));
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

    @Test
    void replicasComeAndGoAndOnlyTheHolderOfAControllersLeaseWritesForIt() throws Exception {
        Replica a = new Replica("a").start();
        awaitSpread(5);
        new Replica("b").start();
        awaitSpread(2, 3);
        Replica c = new Replica("c").start();
        awaitSpread(1, 2, 2);
        a.manager.stop();
        awaitSpread(2, 3);
        a.start();
        awaitSpread(1, 2, 2);
        c.manager.stop();
        awaitSpread(2, 3);

        await().untilAsserted(() -> assertThat(unreconciled()).isEmpty());
        // A line may come a moment after its answer.
        await().pollInterval(Duration.ofSeconds(1))
                .untilAsserted(() -> assertThat(audit().stream()
                                .filter(Audited::isWork)
                                .map(Audited::name)
                                .distinct())
                        .containsAll(created));
        List<Audited> audit = audit();
        assertThat(violations(audit)).isEmpty();
        assertThat(audit.stream().filter(Audited::isWork).map(Audited::user).distinct())
                .containsExactlyInAnyOrder("replica-a", "replica-b", "replica-c");
    }

    /** Waits, while each controller gets more to do, until so many are worked on by each replica. */
    private void awaitSpread(Integer... numbers) {
        await().pollInterval(Duration.ofMillis(50)).untilAsserted(() -> {
            // A slow machine is not given more than it can do.
            if (unreconciled().size() < 4 * CONTROLLERS.size()) {
                for (String controller : CONTROLLERS) {
                    create(controller + "-" + created.size());
                }
            }
            assertThat(replicas.stream().map(Replica::running).filter(running -> running > 0))
                    .containsExactlyInAnyOrder(numbers);
        });
    }

    private void create(String name) throws ApiException {
        admin.createNamespacedConfigMap(namespace, new V1ConfigMap().metadata(new V1ObjectMeta().name(name)))
                .execute();
        created.add(name);
    }

    private List<String> unreconciled() throws ApiException {
        Map<String, V1ConfigMap> all = new HashMap<>();
        admin.listNamespacedConfigMap(namespace)
                .execute()
                .getItems()
                .forEach(map -> all.put(map.getMetadata().getName(), map));
        return created.stream()
                .filter(name -> {
                    V1ConfigMap map = all.get(name);
                    return map == null || isUnmarked(map);
                })
                .toList();
    }

    private static boolean isUnmarked(V1ConfigMap map) {
        return map.getData() == null || map.getData().isEmpty();
    }

    /** What was written for a controller by a replica that did not hold its Lease when the API server received it. */
    private static List<String> violations(List<Audited> audit) {
        List<String> violations = new ArrayList<>();
        for (Audited write : audit) {
            if (write.isWork()) {
                String holder = "";
                Instant since = Instant.MIN;
                for (Audited lease : audit) {
                    if (lease.name().equals("manager-" + write.controller())
                            && lease.holder() != null
                            && lease.answered().isBefore(write.received())
                            && lease.answered().isAfter(since)) {
                        holder = lease.holder();
                        since = lease.answered();
                    }
                }
                if (!write.user().equals("replica-" + holder)) {
                    violations.add(write + " while \"" + holder + "\" held the Lease");
                }
            }
        }
        return violations;
    }

    private List<Audited> audit() throws IOException {
        List<Audited> audit = new ArrayList<>();
        for (String line : Files.readAllLines(plane.auditLog())) {
            if (line.endsWith("}") && line.contains("\"" + namespace + "\"") && line.contains("ResponseComplete")) {
                audit.add(Audited.parse(JsonParser.parseString(line).getAsJsonObject()));
            }
        }
        return audit;
    }

    /** A request, as the API server has recorded it. */
    private record Audited(
            Instant received,
            Instant answered,
            String user,
            String verb,
            String resource,
            String name,
            @org.jspecify.annotations.Nullable String holder) {

        static Audited parse(JsonObject line) {
            JsonObject about = child(line, "objectRef");
            String resource = text(about, "resource");
            // A replica that starts writes each Lease as it is, as a dry run.
            boolean leased = resource.equals("leases")
                    && !text(line, "requestURI").contains("dryRun=")
                    && Set.of("create", "update").contains(text(line, "verb"))
                    && child(line, "responseObject").has("spec");
            JsonObject answer = child(line, "responseObject");
            return new Audited(
                    Instant.parse(text(line, "requestReceivedTimestamp")),
                    Instant.parse(text(line, "stageTimestamp")),
                    text(child(line, "user"), "username"),
                    text(line, "verb"),
                    resource,
                    leased ? text(child(answer, "metadata"), "name") : text(about, "name"),
                    leased ? text(child(answer, "spec"), "holderIdentity") : null);
        }

        /** Whether a controller has sent it to do its work. */
        boolean isWork() {
            return user.startsWith("replica-")
                    && resource.equals("configmaps")
                    && !Set.of("get", "list", "watch").contains(verb);
        }

        String controller() {
            return name.substring(0, name.indexOf('-'));
        }

        private static JsonObject child(JsonObject parent, String name) {
            JsonElement child = parent.get(name);
            return child == null || !child.isJsonObject() ? new JsonObject() : child.getAsJsonObject();
        }

        private static String text(JsonObject parent, String name) {
            JsonElement child = parent.get(name);
            return child == null || child.isJsonNull() ? "" : child.getAsString();
        }
    }

    /** One process's worth of host, as the starter puts it together. */
    private final class Replica {

        private final ApiReplica process;
        private final ControllerManager manager;

        Replica(String identity) throws IOException {
            this.process = new ApiReplica(
                    identity,
                    ApiReplica.client(plane.kubeconfigFor("replica-" + identity, "system:masters")),
                    namespace);
            LeaderElectionConfig config = ApiReplica.election(identity, namespace);
            ApiClient leases = process.connection.leaseClient(LeaderElector.callTimeout(config));
            LeaseBalance balance = Electors.balance(
                    config, CONTROLLERS, Duration.ofMillis(500), leases, Clock.system(), process.timer);
            LeaderElector anchor = Electors.anchor(config, leases, Clock.system(), process.timer);
            Leadership leadership = Leadership.perController(
                    anchor,
                    Electors.own(balance, anchor, CONTROLLERS),
                    process.connection::fencedClient,
                    process.connection.apiClient());
            process.connection.writeFence(leadership.fence());
            this.manager = process.host(leadership)
                    .controllers(CONTROLLERS.stream()
                            .map(name -> controller(name, identity))
                            .toList())
                    .build();
            replicas.add(this);
        }

        /** Marks each object of its own with who has seen it first. */
        private ControllerRegistration controller(String controller, String identity) {
            return ControllerRegistration.of(ControllerDescriptor.named(controller)
                    .forType(
                            ResourceTypes.CONFIG_MAP,
                            event -> event.object().getMetadata().getName().startsWith(controller + "-"))
                    .options(ControllerOptions.DEFAULTS.withWorkers(2))
                    .reconcilerFactory(context -> {
                        ResourceClient<V1ConfigMap> client =
                                new ResourceClient<>(context.apiClient(), ResourceTypes.CONFIG_MAP);
                        var lister = context.informer(ResourceTypes.CONFIG_MAP).lister();
                        return request -> {
                            V1ConfigMap map =
                                    lister.namespace(request.getNamespace()).get(request.getName());
                            if (map != null && isUnmarked(map)) {
                                try {
                                    client.update(new V1ConfigMap()
                                            .metadata(map.getMetadata())
                                            .data(new TreeMap<>(Map.of("by", identity))));
                                } catch (ApiException e) {
                                    throw new IllegalStateException(e);
                                }
                            }
                            return new Result(false);
                        };
                    })
                    .build());
        }

        Replica start() {
            manager.start();
            return this;
        }

        int running() {
            return (int) manager.controllers().stream()
                    .filter(status -> status.state() == ControllerState.RUNNING)
                    .count();
        }

        void close() {
            manager.stop();
            process.close();
        }
    }
}
