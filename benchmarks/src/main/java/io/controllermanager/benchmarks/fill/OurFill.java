package io.controllermanager.benchmarks.fill;

import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.access.ApiAccessResolver;
import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.informer.internal.HostInformer;
import io.controllermanager.informer.internal.InformerFactory;
import io.controllermanager.informer.internal.InformerOptions;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.SystemTimer;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/**
 * Fills the project's own informer; what {@link CacheFill} expects of all contenders.
 *
 * <p>Usage: {@code OurFill list|watch-list NAMESPACE FILLS}.
 */
public final class OurFill {

    private OurFill() {}

    /** Says of each fill how long it took, waits for a line after it, and says of the last how large the heap is. */
    public static void main(String[] args) throws Exception {
        InformerOptions options = InformerOptions.DEFAULTS
                .withNamespaces(Set.of(args[1]))
                .withWatchListFirst(args[0].equals("watch-list"));
        int fills = Integer.parseInt(args[2]);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (SystemTimer timer = new SystemTimer("timer");
                ApiConnection connection =
                        ApiConnection.builder(Clock.system(), timer).build()) {
            connection.connect(new ApiAccessResolver().resolve(null, null));
            for (int fill = 1; fill <= fills; fill++) {
                long begun = System.nanoTime();
                try (InformerFactory factory = new InformerFactory(connection, Clock.system(), timer, options)) {
                    HostInformer<V1ConfigMap> informer = factory.informer(ResourceTypes.CONFIG_MAP);
                    informer.run();
                    while (!informer.hasSynced()) {
                        LockSupport.parkNanos(1_000_000);
                    }
                    long took = System.nanoTime() - begun;
                    System.out.println(
                            "filled " + took + " " + informer.status().objects());
                    in.readLine();
                    if (fill == fills) {
                        // Each fourth one leaves no gaps, which count as used.
                        for (int i = 0; i < 4; i++) {
                            System.gc();
                        }
                        Runtime runtime = Runtime.getRuntime();
                        System.out.println("heap " + (runtime.totalMemory() - runtime.freeMemory()));
                        in.readLine();
                    }
                }
            }
        }
    }
}
