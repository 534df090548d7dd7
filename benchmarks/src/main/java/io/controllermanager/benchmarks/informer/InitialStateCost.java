package io.controllermanager.benchmarks.informer;

import com.sun.management.OperatingSystemMXBean;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.access.ApiAccessResolver;
import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.informer.internal.HostInformer;
import io.controllermanager.informer.internal.InformerFactory;
import io.controllermanager.informer.internal.InformerOptions;
import io.controllermanager.testing.controlplane.AuditLevel;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.SystemTimer;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;

/**
 * What it costs to fill an informer by a list and by a WatchList, in turn, in one JVM: time from making the informer until
 * it has synced, and the processor time of this process and of the API server meanwhile.
 *
 * <p>Usage: {@code InitialStateCost OBJECTS ROUNDS}.
 */
public final class InitialStateCost {

    /** Of a tick in {@code /proc/PID/stat}, on every Linux that Java runs on. */
    private static final int MILLIS_PER_TICK = 10;

    private static final int WRITERS = 16;

    private final ControlPlane plane;
    private final ApiConnection connection;
    private final SystemTimer timer;

    private InitialStateCost(ControlPlane plane, ApiConnection connection, SystemTimer timer) {
        this.plane = plane;
        this.connection = connection;
        this.timer = timer;
    }

    /** Runs all rounds; prints one line for each. */
    public static void main(String[] args) throws Exception {
        int objects = Integer.parseInt(args[0]);
        int rounds = Integer.parseInt(args[1]);
        try (SystemTimer timer = new SystemTimer("timer");
                ControlPlane plane =
                        ControlPlane.builder().auditLevel(AuditLevel.NONE).start();
                ApiConnection connection =
                        ApiConnection.builder(Clock.system(), timer).build()) {
            connection.connect(
                    new ApiAccessResolver().resolve(plane.kubeconfigFile().toString(), null));
            String namespace = plane.createNamespace("fill");
            write(connection, namespace, objects);
            System.out.printf(
                    "%-10s %5s %8s %8s %10s %14s%n", "by", "round", "objects", "ms", "own cpu ms", "server cpu ms");
            InitialStateCost cost = new InitialStateCost(plane, connection, timer);
            for (int round = 1; round <= rounds; round++) {
                for (boolean watchList : round % 2 == 1 ? List.of(false, true) : List.of(true, false)) {
                    cost.measure(namespace, watchList, round);
                }
            }
        }
    }

    private static void write(ApiConnection connection, String namespace, int objects) throws Exception {
        ResourceClient<V1ConfigMap> client = new ResourceClient<>(connection.apiClient(), ResourceTypes.CONFIG_MAP);
        ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
        try {
            List<Future<?>> written = new ArrayList<>();
            for (int i = 0; i < objects; i++) {
                V1ConfigMap object = new V1ConfigMap()
                        .metadata(new V1ObjectMeta()
                                .namespace(namespace)
                                .name("object-" + i)
                                .labels(Map.of("app", "fill", "tier", "backend")))
                        .data(Map.of("value", "x".repeat(1_000), "number", Integer.toString(i)));
                written.add(writers.submit(() -> client.create(object)));
            }
            for (Future<?> one : written) {
                one.get();
            }
        } finally {
            writers.shutdownNow();
        }
    }

    private void measure(String namespace, boolean watchList, int round) throws IOException {
        System.gc();
        long server = serverMillis();
        long own = ownMillis();
        long begun = System.nanoTime();
        InformerOptions options =
                InformerOptions.DEFAULTS.withNamespaces(Set.of(namespace)).withWatchListFirst(watchList);
        try (InformerFactory factory = new InformerFactory(connection, Clock.system(), timer, options)) {
            HostInformer<V1ConfigMap> informer = factory.informer(ResourceTypes.CONFIG_MAP);
            informer.run();
            while (!informer.hasSynced()) {
                LockSupport.parkNanos(1_000_000);
            }
            long millis = (System.nanoTime() - begun) / 1_000_000;
            System.out.printf(
                    "%-10s %5d %8d %8d %10d %14d%n",
                    watchList ? "watch-list" : "list",
                    round,
                    informer.status().objects(),
                    millis,
                    ownMillis() - own,
                    serverMillis() - server);
        }
    }

    private static long ownMillis() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime() / 1_000_000;
    }

    /** User and system time, the 14th and 15th fields. */
    private long serverMillis() throws IOException {
        String stat = Files.readString(Path.of("/proc/" + plane.processIds().get(1) + "/stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) * MILLIS_PER_TICK;
    }
}
