package io.controllermanager.informer.internal;

import static io.controllermanager.client.internal.connection.Connected.configMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.client.ApiDiscovery;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.connection.Connected;
import io.controllermanager.client.internal.json.ApiJson;
import io.controllermanager.client.internal.request.ApiRequests;
import io.controllermanager.informer.internal.reflector.HttpListWatch;
import io.controllermanager.informer.internal.reflector.ObjectReader;
import io.controllermanager.informer.internal.reflector.WatchEvent;
import io.controllermanager.informer.internal.reflector.WatchStream;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.junit.RealControlPlane;
import io.controllermanager.time.Clock;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** More watches than the 100 streams that the API server allows a connection, over one client. */
@RealControlPlane
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("ManyWatchesTest")
class ManyWatchesTest {

    private static final int WATCHES = 149;

    /** More than the 16 MiB that a stream may be ahead of its reader. */
    private static final int MEGABYTES = 20;

    private final Connected api;
    private final String busy;
    private final String read;
    private final List<WatchStream<V1ConfigMap>> streams = new ArrayList<>();

    ManyWatchesTest(ControlPlane plane) {
        this.api = new Connected(plane);
        this.busy = plane.createNamespace("busy");
        this.read = plane.createNamespace("read");
    }

    @AfterEach
    void close() {
        streams.forEach(WatchStream::close);
        api.close();
    }

    private WatchStream<V1ConfigMap> watch(String namespace) throws Exception {
        ApiRequests requests = new ApiRequests(api.connection().apiClient());
        HttpListWatch<V1ConfigMap> source = new HttpListWatch<>(
                requests,
                new ApiDiscovery(api.connection().apiClient(), Clock.system()),
                (watch, version) ->
                        requests.request("GET", ResourceTypes.CONFIG_MAP.path(namespace), List.of(), null, null),
                new ObjectReader<>(ApiJson.adapter(V1ConfigMap.class), object -> object, "configmaps in " + namespace),
                500,
                false);
        WatchStream<V1ConfigMap> stream =
                source.watch(source.list("0", object -> true).resourceVersion(), 300);
        streams.add(stream);
        return stream;
    }

    @Test
    void aReaderThatStandsStillDelaysNoOther() throws Exception {
        WatchStream<V1ConfigMap> still = watch(busy);
        AtomicInteger seen = new AtomicInteger();
        for (int i = 0; i < WATCHES; i++) {
            WatchStream<V1ConfigMap> stream = watch(read);
            Thread reader = new Thread(() -> readAll(stream, seen), "reader-" + i);
            reader.setDaemon(true);
            reader.start();
        }
        assertThat(api.connection().apiClient().getHttpClient().connectionPool().connectionCount())
                .as("connections")
                .isGreaterThanOrEqualTo(2);

        String megabyte = "x".repeat(1_000_000);
        for (int i = 0; i < MEGABYTES; i++) {
            api.configMaps().create(configMap(busy, "big-" + i, megabyte));
        }
        for (int i = 1; i <= 5; i++) {
            api.configMaps().create(configMap(read, "small-" + i, "1"));
            int expected = i * WATCHES;
            await().until(() -> seen.get() == expected);
        }
        assertThat(still.next()).as("what the one that stood still reads now").isNotNull();
    }

    private static void readAll(WatchStream<V1ConfigMap> stream, AtomicInteger seen) {
        try {
            for (WatchEvent<V1ConfigMap> event = stream.next(); event != null; event = stream.next()) {
                if (event instanceof WatchEvent.Changed<V1ConfigMap> changed
                        && changed.object().getMetadata().getName().startsWith("small-")) {
                    seen.incrementAndGet();
                }
            }
        } catch (IOException e) {
            // The test has ended.
        }
    }
}
