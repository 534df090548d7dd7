package io.controllermanager.benchmarks.informer;

import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.access.ApiAccessResolver;
import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.informer.internal.InformerFactory;
import io.controllermanager.informer.internal.InformerOptions;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.SystemTimer;
import io.kubernetes.client.informer.ResourceEventHandler;
import io.kubernetes.client.informer.SharedIndexInformer;
import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ConfigMapList;
import io.kubernetes.client.util.Config;
import io.kubernetes.client.util.generic.GenericKubernetesApi;
import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * An informer of ConfigMaps with many handlers, each of which notes when it was told of which update: ours, or that of
 * client-java, which the class path has as it comes. Says {@code synced}, then {@code complete} when every handler has been
 * told of every update, and writes what it has once a line comes on its standard input.
 *
 * <p>Usage: {@code WatchObserver ours|client-java NAMESPACE HANDLERS UPDATES FILE RUN}, with {@code KUBECONFIG}.
 */
public final class WatchObserver {

    private final String run;
    private final long[][] arrivals;
    private final long[] versions;
    private final LongAdder told = new LongAdder();
    private final LongAdder twice = new LongAdder();

    private WatchObserver(String run, int handlers, int updates) {
        this.run = run + "-";
        arrivals = new long[handlers][updates];
        versions = new long[updates];
    }

    /** Observes until told to end. */
    public static void main(String[] args) throws Exception {
        WatchObserver observer = new WatchObserver(args[5], Integer.parseInt(args[2]), Integer.parseInt(args[3]));
        SharedIndexInformer<V1ConfigMap> informer = args[0].equals("ours") ? ours(args[1]) : clientJavas(args[1]);
        for (int i = 0; i < observer.arrivals.length; i++) {
            informer.addEventHandler(observer.new Handler(i));
        }
        Thread running = new Thread(informer::run, "informer");
        running.setDaemon(true);
        running.start();
        while (!informer.hasSynced()) {
            pause();
        }
        System.out.println("synced");
        long expected = (long) observer.arrivals.length * observer.versions.length;
        boolean complete = false;
        while (System.in.available() == 0) {
            pause();
            if (!complete && observer.told.sum() == expected) {
                complete = true;
                System.out.println("complete");
            }
        }
        observer.write(Path.of(args[4]));
        System.exit(0);
    }

    private static void pause() {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }

    private static SharedIndexInformer<V1ConfigMap> ours(String namespace) {
        SystemTimer timer = new SystemTimer("timer");
        ApiConnection connection = ApiConnection.builder(Clock.system(), timer).build();
        connection.connect(new ApiAccessResolver().resolve(null, null));
        return new InformerFactory(
                        connection, Clock.system(), timer, InformerOptions.DEFAULTS.withNamespaces(Set.of(namespace)))
                .informer(ResourceTypes.CONFIG_MAP);
    }

    private static SharedIndexInformer<V1ConfigMap> clientJavas(String namespace) throws IOException {
        ApiClient client = Config.defaultClient();
        client.setReadTimeout(0);
        return new SharedInformerFactory(client)
                .sharedIndexInformerFor(
                        new GenericKubernetesApi<>(
                                V1ConfigMap.class, V1ConfigMapList.class, "", "v1", "configmaps", client),
                        V1ConfigMap.class,
                        0,
                        namespace);
    }

    /** How many updates came more than once, the versions by number, and for each handler the times by number. */
    private void write(Path file) throws IOException {
        try (DataOutputStream out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file)))) {
            out.writeLong(twice.sum());
            for (long version : versions) {
                out.writeLong(version);
            }
            for (long[] handler : arrivals) {
                for (long arrival : handler) {
                    out.writeLong(arrival);
                }
            }
        }
    }

    private final class Handler implements ResourceEventHandler<V1ConfigMap> {

        private final int index;

        Handler(int index) {
            this.index = index;
        }

        private void arrived(V1ConfigMap object) {
            long now = System.nanoTime();
            String number = object.getData() == null ? null : object.getData().get("number");
            if (number == null || !number.startsWith(run)) {
                return;
            }
            int update = Integer.parseInt(number.substring(run.length()));
            if (arrivals[index][update] != 0) {
                twice.increment();
                return;
            }
            arrivals[index][update] = now;
            versions[update] = Long.parseLong(object.getMetadata().getResourceVersion());
            told.increment();
        }

        @Override
        public void onAdd(V1ConfigMap object) {
            arrived(object);
        }

        @Override
        public void onUpdate(V1ConfigMap before, V1ConfigMap object) {
            arrived(object);
        }

        @Override
        public void onDelete(V1ConfigMap object, boolean finalStateUnknown) {
            // Nothing is deleted.
        }
    }
}
