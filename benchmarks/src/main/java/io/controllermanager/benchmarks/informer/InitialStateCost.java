package io.controllermanager.benchmarks.informer;

import com.sun.management.OperatingSystemMXBean;
import io.controllermanager.benchmarks.plane.EtcdObjects;
import io.controllermanager.benchmarks.plane.TokenPlane;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.access.ApiAccessResolver;
import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.informer.internal.HostInformer;
import io.controllermanager.informer.internal.InformerFactory;
import io.controllermanager.informer.internal.InformerOptions;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.SystemTimer;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.UUID;
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

    private final TokenPlane plane;
    private final ApiConnection connection;
    private final SystemTimer timer;

    private InitialStateCost(TokenPlane plane, ApiConnection connection, SystemTimer timer) {
        this.plane = plane;
        this.connection = connection;
        this.timer = timer;
    }

    /** Runs all rounds; prints one line for each. */
    public static void main(String[] args) throws Exception {
        int objects = Integer.parseInt(args[0]);
        int rounds = Integer.parseInt(args[1]);
        try (SystemTimer timer = new SystemTimer("timer");
                TokenPlane plane = new TokenPlane();
                ApiConnection connection =
                        ApiConnection.builder(Clock.system(), timer).build()) {
            connection.connect(
                    new ApiAccessResolver().resolve(plane.kubeconfigFile().toString(), null));
            plane.etcd().put(objects, Integer.MAX_VALUE, InitialStateCost::configMap);
            plane.awaitCount(plane.url("/api/v1/namespaces/fill/configmaps"), objects);
            System.out.printf(
                    "%-10s %5s %8s %8s %10s %14s%n", "by", "round", "objects", "ms", "own cpu ms", "server cpu ms");
            InitialStateCost cost = new InitialStateCost(plane, connection, timer);
            for (int round = 1; round <= rounds; round++) {
                for (boolean watchList : round % 2 == 1 ? List.of(false, true) : List.of(true, false)) {
                    cost.measure(watchList, round);
                }
            }
        }
    }

    /** A ConfigMap of 1 KB, as it is stored. */
    private static EtcdObjects.Stored configMap(int index) {
        String name = "object-" + index;
        return new EtcdObjects.Stored(
                "configmaps/fill/" + name, """
                {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"%s","namespace":"fill","uid":"%s",\
                "creationTimestamp":"2026-01-01T00:00:00Z","labels":{"app":"fill","tier":"backend"}},\
                "data":{"number":"%d","value":"%s"}}""".formatted(name, UUID.randomUUID(), index, "x".repeat(1_000)));
    }

    private void measure(boolean watchList, int round) throws IOException {
        System.gc();
        long server = serverMillis();
        long own = ownMillis();
        long begun = System.nanoTime();
        InformerOptions options =
                InformerOptions.DEFAULTS.withNamespaces(Set.of("fill")).withWatchListFirst(watchList);
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
        String stat =
                Files.readString(Path.of("/proc/" + plane.plane().processIds().get(1) + "/stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) * MILLIS_PER_TICK;
    }
}
