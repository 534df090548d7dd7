package io.controllermanager.app.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.app.support.Manifests;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.network.Network;
import io.controllermanager.network.NetworkSpec;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoordinationV1Api;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.util.Config;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * A class of a thousand objects changes, which three processes share by shards while they are killed at random. By the API
 * server's audit log no more than the budget's slots were ever held, and no more objects were under way.
 */
@Tag("deep")
class RollOutBudgetIT {

    private static final int OBJECTS = 1_000;
    private static final int REPLICAS = 3;
    private static final int KILLS = 10;
    private static final long SEED = 41;
    private static final Duration LIMIT = Duration.ofMinutes(15);
    private static final Duration LOOK = Duration.ofMillis(50);

    private final Random random = new Random(SEED);

    /** By name. */
    private final Map<String, RunningJar> processes = new HashMap<>();

    private int started;
    private ControlPlane plane;
    private ApiClient client;
    private String objects;
    private String slots;

    /** It stays where the test has failed. */
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    @BeforeEach
    void start() throws IOException, ApiException {
        Path policy = Files.writeString(directory.resolve("audit-policy.yaml"), RollOutAudit.policy());
        plane = ControlPlane.builder()
                .parentDirectory(directory)
                .apiServerFlag("audit-policy-file", policy.toString())
                .start();
        client = Config.fromConfig(plane.kubeconfigFile().toString());
        Manifests.applyCrds(client, Manifests.configDirectory());
        objects = plane.createNamespace("objects");
        slots = plane.createNamespace("slots");
    }

    @AfterEach
    void close() {
        processes.values().forEach(RunningJar::close);
        plane.close();
    }

    @Test
    void noMoreThanTheBudgetRollAtATimeWhoeverIsKilled() throws Exception {
        configMaps()
                .create(new V1ConfigMap()
                        .metadata(new V1ObjectMeta().namespace(objects).name(RollingController.CLASS))
                        .data(Map.of(RollingController.VERSION, "1")));
        ResourceClient<Network> networks = new ResourceClient<>(client, Network.TYPE);
        for (int i = 0; i < OBJECTS; i++) {
            networks.create(new Network(
                    new V1ObjectMeta().namespace(objects).name("object-" + i),
                    new NetworkSpec("10.%d.%d.0/24".formatted(i / 256, i % 256), null)));
        }
        for (int i = 0; i < REPLICAS; i++) {
            startOne();
        }
        await("all objects are ready, and each process has shards")
                .atMost(LIMIT)
                .pollInterval(LOOK)
                .until(() -> {
                    starting("1").forEach(name -> run(name, "1"));
                    return holders().size() == REPLICAS && ready(networks) == OBJECTS;
                });

        long begin = System.nanoTime();
        configMaps().patch(objects, RollingController.CLASS, new Patch.Merge("{\"data\":{\"version\":\"2\"}}"));
        List<Integer> kills = new ArrayList<>(random.ints(1, OBJECTS - 10)
                .distinct()
                .limit(KILLS)
                .sorted()
                .boxed()
                .toList());
        Set<String> victims = new TreeSet<>();
        Set<String> running = new TreeSet<>();
        await("all objects have the new version, and no slot is held")
                .atMost(LIMIT)
                .pollInterval(LOOK)
                .until(() -> {
                    for (String name : starting("2")) {
                        if (random.nextBoolean()) {
                            run(name, "2");
                            running.add(name);
                        }
                    }
                    if (!kills.isEmpty() && running.size() >= kills.get(0)) {
                        String victim = killOne();
                        if (victim != null) {
                            kills.remove(0);
                            victims.add(victim);
                        }
                    }
                    return running.size() == OBJECTS && held().isEmpty() && ready(networks) == OBJECTS;
                });
        Duration took = Duration.ofNanos(System.nanoTime() - begin);

        RollOutAudit audit = RollOutAudit.read(plane.auditLog(), slots, objects, "2");
        Files.writeString(
                Path.of("target", "roll-out-budget.txt"),
                "objects\tslots\tkills\tseconds\tmost_held\tmost_rolling\tconflicts\n"
                        + "%d\t%d\t%d\t%.1f\t%d\t%d\t%d\n"
                                .formatted(
                                        OBJECTS,
                                        RollingController.MOST,
                                        victims.size(),
                                        took.toMillis() / 1e3,
                                        audit.mostHeld(),
                                        audit.mostRolling(),
                                        audit.conflicts()));
        assertThat(victims).hasSize(KILLS);
        assertThat(audit.changed()).hasSize(OBJECTS);
        assertThat(audit.mostHeld()).isEqualTo(RollingController.MOST);
        assertThat(audit.mostRolling()).isEqualTo(RollingController.MOST);
        assertThat(audit.writers())
                .as("those that had written slots when they were killed")
                .filteredOn(victims::contains)
                .hasSizeGreaterThan(KILLS / 2);
    }

    private void startOne() throws IOException, InterruptedException {
        started++;
        String name = "replica-" + started;
        Path own = Files.createDirectory(directory.resolve(name));
        Path kubeconfig = Files.writeString(own.resolve("kubeconfig"), plane.kubeconfigFor(name, "system:masters"));
        processes.put(
                name,
                RunningJar.startWith(
                        RollingController.class,
                        own,
                        Map.of("HOSTNAME", name),
                        "--kubeconfig=" + kubeconfig,
                        "--controllers=" + RollingController.NAME,
                        "--leader-elect-resource-namespace=" + slots,
                        "--leader-elect-resource-name=rolling",
                        "--leader-elect-lease-duration=6s",
                        "--leader-elect-renew-deadline=4s",
                        "--leader-elect-retry-period=500ms"));
    }

    /** By SIGKILL, one that is at work; null if none of those that live is, so that somebody is to be waited for. */
    private @Nullable String killOne() throws ApiException, IOException, InterruptedException {
        List<String> atWork =
                holders().stream().filter(processes::containsKey).sorted().toList();
        if (atWork.isEmpty()) {
            return null;
        }
        String victim = atWork.get(random.nextInt(atWork.size()));
        Objects.requireNonNull(processes.remove(victim)).close();
        startOne();
        return victim;
    }

    /** The names of those who hold Leases of shards. */
    private Set<String> holders() throws ApiException {
        Set<String> holders = new TreeSet<>();
        for (V1Lease lease : new CoordinationV1Api(client)
                .listNamespacedLease(slots)
                .execute()
                .getItems()) {
            String identity = Objects.requireNonNull(lease.getSpec()).getHolderIdentity();
            if (identity != null && lease.getMetadata().getName().contains("-of-")) {
                holders.add(identity.split("_", 2)[0]);
            }
        }
        return holders;
    }

    /** The children that have a version which they do not run yet. */
    private List<String> starting(String version) throws ApiException {
        return new CoreV1Api(client)
                        .listNamespacedSecret(objects)
                        .labelSelector("version=%s,runs!=%s".formatted(version, version))
                        .execute()
                        .getItems()
                        .stream()
                        .map(secret -> secret.getMetadata().getName())
                        .toList();
    }

    /** Says what a child runs, as its own controller would. */
    private void run(String name, String version) {
        try {
            new ResourceClient<V1Secret>(client, ResourceTypes.SECRET)
                    .patch(
                            objects,
                            name,
                            new Patch.Merge("{\"metadata\":{\"labels\":{\"runs\":\"%s\"}}}".formatted(version)));
        } catch (ApiException e) {
            throw new IllegalStateException(e);
        }
    }

    private static long ready(List<Network> networks) {
        return networks.stream()
                .filter(network -> network.status() != null && network.status().conditions() != null)
                .filter(network -> Objects.requireNonNull(network.status().conditions()).stream()
                        .anyMatch(condition -> condition.getType().equals("Ready")
                                && condition.getStatus().equals("True")))
                .count();
    }

    private long ready(ResourceClient<Network> networks) throws ApiException {
        return ready(networks.list(objects));
    }

    private Set<String> held() throws ApiException {
        return configMaps().list(slots).stream()
                .filter(one -> one.getMetadata().getName().startsWith("slots-") && one.getData() != null)
                .flatMap(one -> one.getData().values().stream())
                .collect(Collectors.toSet());
    }

    private ResourceClient<V1ConfigMap> configMaps() {
        return new ResourceClient<>(client, ResourceTypes.CONFIG_MAP);
    }
}
