package io.controllermanager.app.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.controllermanager.app.support.Manifests;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.access.ApiAccessResolver;
import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.foo.Foo;
import io.controllermanager.foo.FooSpec;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.SystemTimer;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.AppsV1Api;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An API server that is killed in the middle of everything and stays away for longer than any lease: the manager must go
 * on by itself, with default settings, and make good all that it missed.
 */
@Tag("system")
class OutageIT {

    private static final Logger log = LoggerFactory.getLogger(OutageIT.class);

    private static final String NAMESPACE = "default";
    private static final int FOOS = 2000;
    private static final int USERS = 48;

    /** Longer than the Lease lasts by default, which is 15 s. */
    private static final Duration OUTAGE = Duration.ofSeconds(20);

    private final ControlPlane plane = ControlPlane.builder().start();
    private final SystemTimer timer = new SystemTimer("outage-test-timer");
    private final ApiConnection connection =
            ApiConnection.builder(Clock.system(), timer).build();
    private final ExecutorService users = Executors.newFixedThreadPool(USERS + 2);
    private final ResourceClient<Foo> foos = new ResourceClient<>(connection.apiClient(), Foo.TYPE);
    private final ResourceClient<V1Deployment> deployments =
            new ResourceClient<>(connection.apiClient(), ResourceTypes.DEPLOYMENT);

    /** Of each Foo that should be there, the replicas that the API server was told last. */
    private final Map<String, Integer> wanted = new ConcurrentHashMap<>();

    @TempDir
    Path directory;

    /** What a user wants done, tried until the API server has said yes. */
    @FunctionalInterface
    private interface Change {
        void make() throws ApiException;
    }

    @BeforeEach
    void serveFoos() throws Exception {
        connection.connect(
                new ApiAccessResolver().resolve(plane.kubeconfigFile().toString(), null));
        Manifests.applyCrds(connection.apiClient(), Manifests.configDirectory());
    }

    @AfterEach
    void stop() {
        users.shutdownNow();
        plane.close();
        connection.close();
        timer.close();
    }

    @Test
    void convergesSoonAfterTheApiServerReturns() throws Exception {
        List<Change> creations = new ArrayList<>();
        for (int i = 0; i < FOOS; i++) {
            Foo foo = foo(i);
            creations.add(() -> foos.create(foo));
            wanted.put(name(i), 1);
        }
        makeAll(creations);

        try (RunningJar jar = RunningJar.start(
                directory,
                "--controllers=foo",
                "--kubeconfig",
                plane.kubeconfigFile().toString())) {
            awaitNone(
                    "Deployments that are missing",
                    () -> FOOS - deployments.list(NAMESPACE).size());

            // More users than workers, and all Deployments gone: keys pile up. With a thousand of them waiting for
            // their turn the server is killed.
            Future<?> deletion = users.submit(this::deleteAllDeployments);
            Future<Queue<Change>> edits = users.submit(this::editUntilRefused);
            await("keys pile up")
                    .pollInterval(Duration.ofMillis(20))
                    .until(() ->
                            leads(jar) && fooController(jar).get("queueDepth").getAsInt() > FOOS / 2);
            plane.killApiServer();
            long killed = System.nanoTime();
            deletion.get();
            Queue<Change> refused = edits.get();
            assertThat(refused).as("edits that the kill cut off").isNotEmpty();

            await("the outage has lasted long enough, and it has stood down")
                    .pollInterval(Duration.ofMillis(200))
                    .until(() -> System.nanoTime() - killed > OUTAGE.toNanos()
                            && jar.status("/actuator/health/readiness") == 503
                            && jar.body("/actuator/leaderelection").contains("\"leading\":false"));
            JsonObject during = fooController(jar);
            assertThat(during.get("failing").getAsInt())
                    .as(() -> "keys that fail during the outage; " + during + "; it said: "
                            + String.join("\n", jar.out()))
                    .isPositive();
            assertThat(jar.status("/actuator/health/liveness")).isEqualTo(200);
            plane.compactEtcd();

            plane.startApiServer();
            plane.awaitReady();
            long ready = System.nanoTime();
            makeAll(refused);
            awaitNone("Foos that have not converged", () -> wrong().size());
            log.atInfo()
                    .addKeyValue("failing", during.get("failing"))
                    .addKeyValue("refusedEdits", refused.size())
                    .addKeyValue("seconds", (System.nanoTime() - ready) / 1e9)
                    .log("Converged after the outage");
            await("no key fails any more")
                    .pollInterval(Duration.ofMillis(100))
                    .until(() -> fooController(jar).get("failing").getAsInt() == 0);
            jar.terminate();
            assertThat(jar.exitCode()).isZero();
        }
    }

    /** Waits until none is left, for as long as they become fewer: how long thousands take depends on the machine. */
    private static void awaitNone(String what, Callable<Integer> count) {
        int left = Integer.MAX_VALUE;
        while (left > 0) {
            int before = left;
            left = await(what).pollInterval(Duration.ofMillis(200)).until(count, now -> now < before);
        }
    }

    private void deleteAllDeployments() {
        try {
            new AppsV1Api(connection.apiClient())
                    .deleteCollectionNamespacedDeployment(NAMESPACE)
                    .execute();
        } catch (ApiException e) {
            log.debug("The kill came before the last one was gone", e);
        }
    }

    /** Scales every Foo again and again, and deletes one of every twenty; returns what the API server has not taken. */
    private Queue<Change> editUntilRefused() {
        Queue<Change> refused = new ConcurrentLinkedQueue<>();
        AtomicInteger next = new AtomicInteger();
        List<Future<?>> all = new ArrayList<>();
        for (int user = 0; user < USERS; user++) {
            all.add(users.submit(() -> {
                while (refused.isEmpty()) {
                    int number = next.getAndIncrement();
                    Change change = edit(number % FOOS, number / FOOS);
                    if (!made(change)) {
                        refused.add(change);
                    }
                }
            }));
        }
        all.forEach(OutageIT::join);
        return refused;
    }

    private Change edit(int foo, int round) {
        String name = name(foo);
        if (foo % 20 == 10) {
            return () -> {
                foos.delete(NAMESPACE, name);
                wanted.remove(name);
            };
        }
        int replicas = 2 + round % 5;
        return () -> {
            foos.patch(NAMESPACE, name, new Patch.Merge("{\"spec\":{\"replicas\":" + replicas + "}}"));
            wanted.put(name, replicas);
        };
    }

    private static boolean made(Change change) {
        try {
            change.make();
            return true;
        } catch (ApiException e) {
            log.debug("Refused", e);
            return false;
        }
    }

    /** Makes changes with many users at once; all must be taken. */
    private void makeAll(Collection<Change> changes) {
        List<Future<?>> all = new ArrayList<>();
        for (Change change : changes) {
            all.add(users.submit(() -> {
                change.make();
                return null;
            }));
        }
        all.forEach(OutageIT::join);
    }

    private static void join(Future<?> future) {
        try {
            future.get();
        } catch (InterruptedException | ExecutionException e) {
            throw new AssertionError(e);
        }
    }

    /** The Foos whose Deployment is not what they want, and those that should be gone. */
    private List<String> wrong() throws ApiException {
        Map<String, V1Deployment> byName = new HashMap<>();
        for (V1Deployment deployment : deployments.list(NAMESPACE)) {
            byName.put(Objects.requireNonNull(deployment.getMetadata()).getName(), deployment);
        }
        Map<String, Integer> missing = new HashMap<>(wanted);
        List<String> wrong = new ArrayList<>();
        for (Foo foo : foos.list(NAMESPACE)) {
            String name = foo.getMetadata().getName();
            Integer replicas = missing.remove(name);
            V1Deployment deployment = byName.get(name);
            if (replicas == null
                    || deployment == null
                    || !replicas.equals(
                            Objects.requireNonNull(deployment.getSpec()).getReplicas())) {
                wrong.add(name);
            }
        }
        wrong.addAll(missing.keySet());
        return wrong;
    }

    /**
     * Whether it leads, and has just renewed its lease: many keys more will be tried before the lease is lost. The test
     * waits for such a moment, so that a busy machine delays it and does not fail it.
     */
    private static boolean leads(RunningJar jar) {
        JsonObject election =
                JsonParser.parseString(jar.body("/actuator/leaderelection")).getAsJsonObject();
        return election.get("leading").getAsBoolean()
                && Duration.parse(election.get("sinceRenewal").getAsString()).compareTo(Duration.ofSeconds(3)) < 0;
    }

    private static JsonObject fooController(RunningJar jar) {
        return JsonParser.parseString(jar.body("/actuator/controllers/foo")).getAsJsonObject();
    }

    private static Foo foo(int number) {
        return new Foo(new V1ObjectMeta().name(name(number)).namespace(NAMESPACE), new FooSpec(name(number), 1));
    }

    private static String name(int number) {
        return String.format("foo-%05d", number);
    }
}
